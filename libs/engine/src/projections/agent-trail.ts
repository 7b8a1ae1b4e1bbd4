import type { PathName, Trigger } from '@lockstep/policy';
import type { EventType, LockstepEvent } from '../events/event.ts';
import type { TrailEntry } from './agent-trail.view.ts';
import { eventTitle } from './event-title.ts';
import { principalName } from './turn-list.ts';

/** One event as an entry of its agent's trail; null for events of no agent, and for bare content. */
export const trailEntry = (event: LockstepEvent): TrailEntry | null => {
  const { meta } = event;
  if (meta.agent === null || event.type === 'ArtifactRecorded') return null;
  const said = eventTitle(event);
  return {
    event: event.id,
    type: event.type,
    position: event.position,
    agentSeq: meta.agentSeq,
    at: event.time,
    agent: meta.agent,
    path: meta.path,
    trigger: meta.trigger,
    turn: meta.turn,
    session: meta.session,
    principal: meta.principal === null ? null : principalName(meta),
    person: meta.principal?.person ?? null,
    tone: said.tone,
    title: said.title,
    detail: said.detail ?? null,
    tool: said.tool ?? null,
    verdict: said.verdict ?? null,
    rule: said.rule ?? null,
    pattern: said.pattern ?? null,
    approver: said.approver ?? null,
  };
};

/** What of a trail is wanted; absent = all. Conditions are joined by *and*. */
export interface TrailFilter {
  /** Ms since the epoch, both included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly path?: PathName | undefined;
  readonly trigger?: Trigger | undefined;
  readonly types?: readonly EventType[] | undefined;
  /** Canonical id; a bare name means a built-in tool. */
  readonly tool?: string | undefined;
  readonly verdict?: TrailEntry['verdict'] | undefined;
  readonly person?: string | undefined;
  readonly approver?: string | undefined;
  /** A rule id, or a surface: the first part of rule ids. */
  readonly rule?: string | undefined;
  /** Any part of what is shown, in any case. */
  readonly text?: string | undefined;
}

/** Whether an entry is wanted. */
export const matchesTrail = (entry: TrailEntry, filter: TrailFilter): boolean =>
  within(entry.at, filter) &&
  is(filter.path, entry.path) &&
  is(filter.trigger, entry.trigger) &&
  (filter.types === undefined || filter.types.includes(entry.type)) &&
  (filter.tool === undefined || isTool(filter.tool, entry.tool)) &&
  is(filter.verdict, entry.verdict) &&
  (filter.person === undefined || [entry.person, entry.principal].includes(filter.person)) &&
  is(filter.approver, entry.approver) &&
  (filter.rule === undefined || isRule(filter.rule, entry.rule)) &&
  (filter.text === undefined || holds(filter.text, entry));

const within = (at: number, { from, to }: TrailFilter): boolean =>
  (from === undefined || at >= from) && (to === undefined || at <= to);

const is = <T>(wanted: T | undefined, found: T): boolean =>
  wanted === undefined || wanted === found;

const isTool = (wanted: string, tool: string | null): boolean =>
  tool === wanted || tool === `builtin:${wanted}`;

const isRule = (wanted: string, rule: string | null): boolean =>
  rule === wanted || (rule?.startsWith(`${wanted}.`) ?? false);

const holds = (wanted: string, entry: TrailEntry): boolean => {
  const needle = wanted.toLowerCase();
  const { title, detail, tool, rule, pattern, turn, session } = entry;
  return [title, detail, tool, rule, pattern, turn, session].some(
    (part) => part?.toLowerCase().includes(needle) ?? false,
  );
};
