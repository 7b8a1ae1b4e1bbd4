import { digestOfText } from '@lockstep/policy';
import type { Content } from '../events/content.ts';
import type { EventOf, EventType, LockstepEvent } from '../events/event.ts';
import type { InboxRow } from './approvals-inbox.view.ts';
import type { KeyedProjection } from './projection.ts';
import { principalName } from './turn-list.ts';

const types = [
  'ApprovalRequested',
  'ApprovalVoted',
  'ApprovalGranted',
  'ApprovalDenied',
  'ApprovalExpired',
  'ApprovalClosed',
  'QuestionAsked',
  'QuestionAnswered',
  'QuestionExpired',
  'SopGateOpened',
  'SopGateVoted',
  'SopGateDecided',
] as const satisfies readonly EventType[];
type InboxEvent = EventOf<(typeof types)[number]>;

/** The inbox: one row by request, from the asking to the decision. What closes a turn closes its requests by their own events. */
export const approvalsInbox: KeyedProjection<InboxRow> = {
  name: 'approvals-inbox',
  version: 4,
  types,
  keyOf: (event) => {
    if (!isInboxEvent(event)) return null;
    if ('gate' in event.data) return event.data.gate;
    return 'approval' in event.data ? event.data.approval : event.data.question;
  },
  fold: (row, event) => {
    if (event.type === 'ApprovalRequested') return row ?? approvalRow(event);
    if (event.type === 'QuestionAsked') return row ?? questionRow(event);
    if (event.type === 'SopGateOpened') return row ?? gateRow(event);
    if (row === null || row.state !== 'pending' || !isInboxEvent(event)) return row;
    if (event.type === 'ApprovalVoted' || event.type === 'SopGateVoted') return vote(row, event);
    return { ...row, ...decision(event), decidedAt: event.time };
  },
  columns: (row) => ({
    agent: row.agent,
    turn: row.turn,
    session: row.session,
    kind: row.kind,
    state: row.state,
    asked: row.askedAt,
    decided: row.decidedAt,
  }),
};

const isInboxEvent = (event: LockstepEvent): event is InboxEvent =>
  (types as readonly string[]).includes(event.type);

/** One yes of several: the request waits on. */
const vote = (row: InboxRow, { data }: EventOf<'ApprovalVoted' | 'SopGateVoted'>): InboxRow =>
  row.votes === null || data.choice === 'deny'
    ? row
    : { ...row, votes: { ...row.votes, by: [...row.votes.by, data.by] } };

const decision = (
  event: Exclude<InboxEvent, EventOf<'ApprovalVoted' | 'SopGateVoted'>>,
): Pick<InboxRow, 'state' | 'decidedBy' | 'reason'> => {
  switch (event.type) {
    case 'ApprovalGranted':
      return { state: 'granted', decidedBy: event.data.by, reason: event.data.choice };
    case 'ApprovalDenied':
      return { state: 'denied', decidedBy: event.data.by, reason: textOf(event.data.guidance) };
    case 'ApprovalClosed':
      return { state: 'closed', decidedBy: null, reason: event.data.why };
    case 'QuestionAnswered':
      return { state: 'answered', decidedBy: event.data.by, reason: textOf(event.data.text) };
    case 'ApprovalExpired':
    case 'QuestionExpired':
      return { state: 'expired', decidedBy: null, reason: 'nobody answered in time' };
    case 'SopGateDecided':
      return { state: event.data.outcome, decidedBy: event.data.by, reason: event.data.why };
    case 'ApprovalRequested':
    case 'QuestionAsked':
    case 'SopGateOpened':
      return { state: 'pending', decidedBy: null, reason: null };
  }
};

const approvalRow = (event: EventOf<'ApprovalRequested'>): InboxRow | null => {
  const { data } = event;
  const row = rowOf(event, {
    id: data.approval,
    kind: 'approval',
    call: data.call,
    tool: data.tool,
    operands: data.facts.operands,
    rule: data.rule,
    pattern: data.pattern,
    why: data.why,
    view: data.view,
    choices: choicesOf(data),
    binding: data.binding,
    grantable: data.grantable,
    deadline: data.deadline,
  });
  if (row === null) return null;
  const { required } = data;
  return {
    ...row,
    route: data.route,
    notBy: data.notBy ?? null,
    votes: required === undefined ? null : { required, by: [] },
    cut: data.cut ?? false,
  };
};

/** What cannot be shown whole is not granted as it stands. */
const choicesOf = ({ grantable, cut }: EventOf<'ApprovalRequested'>['data']): string[] => {
  if (cut === true) return ['deny'];
  return grantable ? ['once', 'always', 'deny'] : ['once', 'deny'];
};

const questionRow = (event: EventOf<'QuestionAsked'>): InboxRow | null => {
  const { data } = event;
  return rowOf(event, {
    id: data.question,
    kind: 'question',
    call: data.call,
    tool: null,
    operands: [],
    rule: null,
    pattern: null,
    why: null,
    view: data.text,
    choices: data.choices,
    binding: null,
    grantable: false,
    deadline: data.deadline,
  });
};

/** The gate before a step: its call is the step. */
const gateRow = (event: EventOf<'SopGateOpened'>): InboxRow | null => {
  const { data } = event;
  const row = rowOf(event, {
    id: data.gate,
    kind: 'gate',
    call: data.step,
    tool: null,
    operands: [],
    rule: null,
    pattern: null,
    why: `the procedure asks a person before step \`${data.step}\``,
    view: data.view,
    choices: ['once', 'deny'],
    binding: null,
    grantable: false,
    deadline: data.deadline,
  });
  if (row === null) return null;
  const votes = data.required > 1 ? { required: data.required, by: [] } : null;
  return { ...row, route: data.route, notBy: data.notBy, votes };
};

type Asked = Pick<
  InboxRow,
  | 'id'
  | 'kind'
  | 'call'
  | 'tool'
  | 'operands'
  | 'rule'
  | 'pattern'
  | 'why'
  | 'view'
  | 'choices'
  | 'binding'
  | 'grantable'
  | 'deadline'
>;

/** Null for a request whose envelope does not say whose it is. */
const rowOf = (event: LockstepEvent, asked: Asked): InboxRow | null => {
  const { agent, path, trigger, session, principal, turn } = event.meta;
  if (agent === null || path === null || trigger === null) return null;
  return {
    ...asked,
    turn: turn ?? event.stream.replace(/^(turn|sop)-/, ''),
    agent,
    path,
    trigger,
    session: session ?? '',
    principal: principalName(event.meta),
    person: principal?.person ?? null,
    shown: shownDigest(asked.view),
    revision: event.revision,
    askedAt: event.time,
    state: 'pending',
    decidedAt: null,
    decidedBy: null,
    reason: null,
    route: null,
    notBy: null,
    votes: null,
    cut: false,
  };
};

/** Digest of the text that a person sees: an artifact's own, a sealed one's commitment. */
const shownDigest = (view: Content): string => {
  if ('inline' in view) return digestOfText(view.inline);
  return 'artifact' in view ? view.artifact : view.sealed.commitment;
};

const textOf = (content: Content | null): string | null =>
  content !== null && 'inline' in content ? content.inline : null;
