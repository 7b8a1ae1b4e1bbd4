import type { Meta } from '../events/envelope.ts';
import { eventTypes, payloadsByFamily, type LockstepEvent } from '../events/event.ts';
import { addCost } from './add-cost.ts';
import type { KeyedProjection } from './projection.ts';
import { lineOf } from './titles/said.ts';
import type { TurnRow, TurnStatus } from './turn-list.view.ts';

/** A row with what its status follows from while the turn runs. */
export interface TurnListRow extends TurnRow {
  /** Approvals and questions that nobody decided yet. */
  readonly pending: readonly string[];
  /** Calls of tools and of the model that are under way. */
  readonly busy: readonly string[];
}

/** The list of turns: one row each, from the accepted message on. */
export const turnList: KeyedProjection<TurnListRow> = {
  name: 'turn-list',
  version: 2,
  types: [
    'MessageAccepted',
    'MessageDropped',
    ...eventTypes.filter((type) => Object.hasOwn(payloadsByFamily.turn, type)),
  ],
  keyOf: (event) => {
    if (event.type === 'MessageAccepted') return event.data.turn;
    if (event.type === 'MessageDropped') return event.meta.turn;
    return event.stream.startsWith('turn-') ? event.stream.slice('turn-'.length) : null;
  },
  fold: (row, event) => {
    const known = row ?? newRow(event);
    if (known === null) return null;
    const changed = { ...known, ...change(known, event), position: event.position };
    return { ...changed, status: statusOf(changed) };
  },
  columns: (row) => ({
    agent: row.agent,
    path: row.path,
    trigger: row.trigger,
    status: row.status,
    session: row.session,
    person: row.person,
    parent: row.parent,
    started: row.startedAt,
    position: row.position,
  }),
};

/** A turn that ended stays so; otherwise it waits when people are asked and nothing else is under way. */
const statusOf = ({ status, pending, busy }: TurnListRow): TurnStatus => {
  if (status !== 'running' && status !== 'waiting') return status;
  return pending.length > 0 && busy.length === 0 ? 'waiting' : 'running';
};

/** Null for a stream that does not say whose turn it is. */
const newRow = (event: LockstepEvent): TurnListRow | null => {
  const { agent, path, trigger, session } = event.meta;
  if (path === null || trigger === null) return null;
  // A turn of an alias that config does not know has no agent in its envelope; its request names it.
  const named = event.type === 'TurnRequested' ? event.data.request.agent : null;
  const alias = agent ?? named;
  if (alias === null) return null;
  return {
    id: turnList.keyOf(event) ?? '',
    agent: alias,
    path,
    trigger,
    principal: principalName(event.meta),
    person: event.meta.principal?.person ?? null,
    session: session ?? '',
    parent: event.meta.parent,
    status: event.type === 'MessageAccepted' ? 'queued' : 'running',
    startedAt: event.time,
    endedAt: null,
    configVersion: 0,
    policyDigest: null,
    input: '',
    reply: null,
    modelCalls: 0,
    allowed: 0,
    refused: 0,
    asked: 0,
    tokens: 0,
    cost: 0,
    position: event.position,
    pending: [],
    busy: [],
  };
};

/** Kind and id of who acts, as one word. */
export const principalName = ({ principal }: Meta): string =>
  principal === null ? '' : `${principal.kind}:${principal.id}`;

type Change = Partial<TurnListRow>;

const change = (row: TurnListRow, event: LockstepEvent): Change => ({
  ...lifeChange(event),
  ...callChange(row, event),
  ...waitChange(row, event),
});

const lifeChange = (event: LockstepEvent): Change => {
  const over = { endedAt: event.time, pending: [], busy: [] };
  if (event.type === 'MessageAccepted') return { input: lineOf(event.data.text) };
  if (event.type === 'TurnRequested')
    return {
      status: 'running',
      startedAt: event.time,
      input: lineOf(event.data.input),
      configVersion: event.data.config.version,
    };
  if (event.type === 'PolicyResolved' || event.type === 'PolicyNarrowed')
    return { policyDigest: event.data.digest, configVersion: event.data.config.version };
  if (event.type === 'TurnRefused') return { status: 'refused', ...over };
  if (event.type === 'TurnCancelled' || event.type === 'MessageDropped')
    return { status: 'cancelled', ...over };
  if (event.type === 'TurnFailed') return { status: 'failed', ...over, ...spent(event.data) };
  if (event.type !== 'TurnCompleted') return {};
  return { status: 'completed', ...over, ...spent(event.data), reply: lineOf(event.data.reply) };
};

const spent = ({ tokens, cost }: { tokens: number; cost: TurnRow['cost'] }): Change => ({
  tokens,
  cost,
});

const callChange = (row: TurnListRow, event: LockstepEvent): Change => {
  if (event.type === 'ToolCallAuthorized') return { allowed: row.allowed + 1 };
  if (event.type === 'ToolCallRefused') return { refused: row.refused + 1 };
  if (event.type === 'ModelCallStarted')
    return {
      modelCalls: row.modelCalls + (event.data.attempt === 1 ? 1 : 0),
      busy: withOne(row.busy, 'model'),
    };
  if (event.type === 'ModelCallCompleted' || event.type === 'ModelCallFailed')
    return {
      tokens: row.tokens + event.data.settled.tokens,
      cost: addCost(row.cost, event.data.settled.cost),
      busy: without(row.busy, 'model'),
    };
  if (event.type === 'ToolCallStarted')
    // A call that asks a person is not under way: the turn waits.
    return event.data.tool === 'builtin:ask_user'
      ? {}
      : { busy: withOne(row.busy, event.data.call) };
  return endsCall(event) ? { busy: without(row.busy, event.data.call) } : {};
};

const waitChange = (row: TurnListRow, event: LockstepEvent): Change => {
  if (event.type === 'ApprovalRequested')
    return { asked: row.asked + 1, pending: withOne(row.pending, event.data.approval) };
  if (event.type === 'QuestionAsked')
    return { asked: row.asked + 1, pending: withOne(row.pending, event.data.question) };
  const decided = decidedBy(event);
  return decided === null ? {} : { pending: without(row.pending, decided) };
};

const endsCall = (event: LockstepEvent) =>
  event.type === 'ToolCallCompleted' ||
  event.type === 'ToolCallFailed' ||
  event.type === 'ToolCallCancelled' ||
  event.type === 'ToolCallOutcomeUnknown';

/** The approval or question that an event decides or closes. */
const decidedBy = (event: LockstepEvent): string | null => {
  if (
    event.type === 'ApprovalGranted' ||
    event.type === 'ApprovalDenied' ||
    event.type === 'ApprovalExpired' ||
    event.type === 'ApprovalClosed'
  )
    return event.data.approval;
  return event.type === 'QuestionAnswered' || event.type === 'QuestionExpired'
    ? event.data.question
    : null;
};

const withOne = (list: readonly string[], item: string): readonly string[] =>
  list.includes(item) ? list : [...list, item];
const without = (list: readonly string[], item: string): readonly string[] =>
  list.includes(item) ? list.filter((other) => other !== item) : list;
