import type { EventType, TurnEvent } from '../../events/event.ts';
import { workTitles } from './work-titles.ts';
import { lineOf, many, toolName, type SayAll } from './said.ts';

type Others = Exclude<EventType, TurnEvent['type']>;

/** The words of every event that belongs to no turn's stream. */
export const otherTitles: SayAll<Others> = {
  SessionOpened: (d) => ({ tone: 'neutral', title: `session of ${d.owner.id} opened` }),
  MessageAccepted: (d) => ({ tone: 'neutral', title: 'message accepted', detail: lineOf(d.text) }),
  MessageDropped: (d) => ({ tone: 'refused', title: 'message dropped', detail: d.why }),
  SessionReset: (d) => ({ tone: 'neutral', title: `session reset by ${d.by}` }),
  SessionClosed: (d) => ({ tone: 'neutral', title: `session closed by ${d.by}`, detail: d.why }),
  ConfigApplied: (d) => ({
    tone: 'neutral',
    title: `config version ${d.version} applied by ${d.by}`,
    detail: d.widens.length === 0 ? many(d.diff.length, 'change') : `widens ${d.widens.join(', ')}`,
  }),
  ConfigRejected: (d) => ({
    tone: 'bad',
    title: `config rejected: ${many(d.problems.length, 'problem')}`,
    detail: d.problems[0]?.message ?? null,
  }),
  ChannelFallbackUsed: (d) => ({ tone: 'neutral', title: `${d.agent} takes every channel` }),
  PatternUnmatched: (d) => ({
    tone: 'neutral',
    title: `pattern ${d.pattern} matches no tool`,
    detail: d.path,
  }),
  GrantIssued: (d) => ({
    tone: 'good',
    title: `standing approval for ${toolName(d.tool)}`,
    detail: d.person === null ? 'for anyone' : `for ${d.person}`,
    tool: d.tool,
    approval: d.approval,
    approver: d.by.person ?? d.by.principal,
  }),
  GrantRevoked: (d) => ({
    tone: 'refused',
    title: `standing approval revoked by ${d.by}`,
    detail: d.why,
  }),
  AgentPaused: (d) => ({ tone: 'waiting', title: `agent paused by ${d.by}`, detail: d.why }),
  AgentResumed: (d) => ({ tone: 'good', title: `agent resumed by ${d.by}` }),
  OwnershipTaken: (d) => ({ tone: 'neutral', title: `agent taken over by ${d.daemon}` }),
  ToolsListed: (d) => ({
    tone: 'neutral',
    title: `server ${d.server} offers ${many(d.names.length, 'tool')}`,
    detail: d.hidden > 0 ? `${d.hidden} more are not exposed` : null,
  }),
  ...workTitles,
  ArtifactRecorded: (d) => ({ tone: 'neutral', title: `content of ${d.bytes} bytes recorded` }),
  TokenIssued: (d) => ({ tone: 'neutral', title: `token ${d.name} issued by ${d.by}` }),
  TokenRevoked: (d) => ({ tone: 'neutral', title: `token revoked by ${d.by}` }),
  SignedIn: (d) => ({ tone: 'neutral', title: `${d.principal} signed in by ${d.how}` }),
  AccessDenied: (d) => ({
    tone: 'refused',
    title: `access denied: ${d.action}`,
    detail: d.count > 1 ? `${d.why} (${d.count} times)` : d.why,
  }),
  ConnectionOpened: (d) => ({
    tone: 'neutral',
    title: `${d.kind === 'acp' ? 'ACP' : 'JSON-RPC'} client connected`,
    detail: d.agent,
  }),
  ConnectionClosed: (d) => ({ tone: 'neutral', title: 'client disconnected', detail: d.why }),
  InboundRefused: (d) => ({
    tone: 'refused',
    title: `message refused from ${d.source}`,
    detail: d.why,
  }),
  TrailViewed: (d) => ({
    tone: 'neutral',
    title: `${d.principal} viewed the trail`,
    detail: d.what,
  }),
  EvidenceExported: (d) => ({
    tone: 'neutral',
    title: `${d.principal} exported evidence`,
    detail: d.format,
  }),
  DaemonStarted: (d) => ({
    tone: 'neutral',
    title: `daemon started on ${d.host}`,
    detail: d.limits.join('; ') || null,
  }),
  LogAdopted: (d) => ({
    tone: 'neutral',
    title: `log of ${d.fromHost} adopted by ${d.by}`,
    detail: `${many(d.turns, 'open turn')} settled`,
  }),
  DaemonStopped: (d) => ({ tone: 'neutral', title: 'daemon stopped', detail: d.why }),
  CheckpointSigned: (d) => ({ tone: 'neutral', title: `checkpoint over ${many(d.size, 'event')}` }),
  EmergencyStopSet: (d) => ({
    tone: 'bad',
    title: `emergency stop of ${d.agent ?? 'everything'} by ${d.by}`,
    detail: d.why,
  }),
  EmergencyStopCleared: (d) => ({
    tone: 'good',
    title: `emergency stop of ${d.agent ?? 'everything'} lifted by ${d.by}`,
  }),
  ProbesStarted: (d) => ({
    tone: 'neutral',
    title: `probes started by ${d.by}`,
    detail: [d.agent ?? 'every agent', d.path ?? 'every path', d.setting ?? 'every setting'].join(
      ', ',
    ),
  }),
  ProbeRecorded: (d) => ({
    tone: 'neutral',
    title: `probe of ${d.agent} over ${d.trigger}: ${d.attack}`,
    detail: many(d.events.length, 'event'),
  }),
  ProbesCompleted: (d) => ({
    tone: 'neutral',
    title: `${many(d.tried, 'probe turn')} tried, ${d.recorded} recorded`,
    detail: d.problems[0] ?? null,
  }),
  ProbesFailed: (d) => ({ tone: 'bad', title: 'the probes failed', detail: d.why }),
  SubjectErased: (d) => ({ tone: 'neutral', title: `content of a subject erased by ${d.by}` }),
};
