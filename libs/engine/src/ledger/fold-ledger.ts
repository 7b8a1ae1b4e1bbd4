import { endReply, oweReply, replyFolds, settleReply } from './fold-replies.ts';
import { jobFolds, sopFolds } from './fold-work.ts';
import type { EventOf, EventType, LockstepEvent } from '../events/event.ts';
import {
  closeSpending,
  limitSpending,
  openSpending,
  settleModel,
  startModel,
  startTool,
} from './fold-spending.ts';
import { dropRow, rowOf, setRow, type LedgerState } from './ledger-state.ts';
import type { SessionRecord } from '../ports/ledger.ts';
import { settle } from './settle.ts';

export { decidedLimit } from './settle.ts';

/** Folds one event, in log order. Changes and returns the state it was given; never throws on a recorded event. */
export const foldLedger = (state: LedgerState, event: LockstepEvent): LedgerState => {
  const fold = folds[event.type] as ((state: LedgerState, event: LockstepEvent) => void) | null;
  fold?.(state, event);
  return state;
};

/** How many turns of a session stay known: a further one is told of no more. */
export const sessionTurns = 1_000;

/** Key of an accepted message. */
export const messageKey = (session: string, message: string): string => `${session}\n${message}`;

/** Key of a call whose outcome is unknown. */
export const unsettledKey = (session: string, tool: string, argsDigest: string): string =>
  `${session}\n${tool}\n${argsDigest}`;

type Folds = {
  readonly [T in EventType]: ((state: LedgerState, event: EventOf<T>) => void) | null;
};

const sessionOf = (event: LockstepEvent): string => event.meta.session ?? event.stream;
const turnOf = (event: LockstepEvent): string =>
  event.meta.turn ?? event.stream.replace(/^turn-/, '');
const agentOf = (event: LockstepEvent): string =>
  event.meta.agent ?? event.stream.replace(/^agent-/, '');

const changeSession = (
  state: LedgerState,
  event: LockstepEvent,
  change: Partial<SessionRecord>,
): void => {
  const id = sessionOf(event);
  const known = rowOf(state, 'sessions', id);
  if (known !== undefined)
    setRow(state, 'sessions', id, { ...known, revision: event.revision, ...change });
};

const ask = (
  state: LedgerState,
  event: EventOf<'ApprovalRequested'> | EventOf<'QuestionAsked'>,
): void => {
  const id = event.type === 'ApprovalRequested' ? event.data.approval : event.data.question;
  setRow(state, 'pending', id, {
    id,
    kind: event.type === 'ApprovalRequested' ? 'approval' : 'question',
    turn: turnOf(event),
    agent: agentOf(event),
    session: sessionOf(event),
    call: event.data.call,
    revision: event.revision,
    deadline: event.data.deadline,
    state: 'pending',
    tool: event.type === 'ApprovalRequested' ? event.data.tool : null,
    route: event.type === 'ApprovalRequested' ? event.data.route : 'inbox',
    notBy: event.type === 'ApprovalRequested' ? (event.data.notBy ?? null) : null,
    ...(event.type === 'ApprovalRequested' && event.data.required !== undefined
      ? { votes: { given: 0, required: event.data.required } }
      : {}),
  });
};

const settleApproval = (state: LedgerState, event: { data: { approval: string } }): void => {
  settle(state, state.rows.pending.get(event.data.approval));
};
const settleQuestion = (state: LedgerState, event: { data: { question: string } }): void => {
  settle(state, state.rows.pending.get(event.data.question));
};

const begin = (state: LedgerState, event: EventOf<'TurnRequested'>): void => {
  const turn = turnOf(event);
  setRow(state, 'openTurns', turn, { turn, agent: agentOf(event) });
  openSpending(state, event);
  const waiting = state.rows.waiting.get(turn);
  dropRow(state, 'waiting', turn);
  if (waiting !== undefined) {
    const key = messageKey(waiting.session, waiting.message);
    forgetText(state, key);
  }
  const session = rowOf(state, 'sessions', sessionOf(event));
  if (session === undefined || event.meta.parent !== null) return;
  const turns = [...session.turns, turn].slice(-sessionTurns);
  setRow(state, 'sessions', session.id, { ...session, turns });
};

const end = (state: LedgerState, event: LockstepEvent): void => {
  const turn = turnOf(event);
  dropRow(state, 'openTurns', turn);
  closeSpending(state, event);
  endReply(state, turn);
  for (const pending of [...state.rows.pending.values()])
    if (pending.turn === turn) settle(state, pending);
};

const acceptMessage = (state: LedgerState, event: EventOf<'MessageAccepted'>): void => {
  const session = sessionOf(event);
  const { message, turn, text, idempotency } = event.data;
  setRow(state, 'messages', messageKey(session, message), { message, turn, text, idempotency });
  const agent = event.meta.agent ?? rowOf(state, 'sessions', session)?.agent ?? '';
  setRow(state, 'waiting', turn, { session, agent, message, turn });
  if (idempotency !== null) setRow(state, 'keys', message, { session });
  oweReply(state, session, event.data);
  changeSession(state, event, {});
};

/** A message whose turn holds its text now. One without a key of its sender's cannot come again, so nothing of it stays. */
const forgetText = (state: LedgerState, key: string): void => {
  const message = rowOf(state, 'messages', key);
  if (message === undefined) return;
  if (message.idempotency === null) dropRow(state, 'messages', key);
  else setRow(state, 'messages', key, { ...message, text: null });
};

const dropMessage = (state: LedgerState, event: EventOf<'MessageDropped'>): void => {
  const key = messageKey(sessionOf(event), event.data.message);
  const message = rowOf(state, 'messages', key);
  if (message !== undefined) {
    dropRow(state, 'waiting', message.turn);
    settleReply(state, message.turn);
    forgetText(state, key);
  }
  changeSession(state, event, {});
};

const outcomeUnknown = (state: LedgerState, event: EventOf<'ToolCallOutcomeUnknown'>): void => {
  const { call, tool, argsDigest, why } = event.data;
  const session = sessionOf(event);
  const key = unsettledKey(session, tool, argsDigest);
  const known = state.rows.unsettled.get(key) ?? [];
  const place = { turn: turnOf(event), agent: agentOf(event), session, since: event.time };
  setRow(state, 'unsettled', key, [...known, { ...place, call, tool, argsDigest, why }]);
};

const outcomeSettled = (state: LedgerState, event: EventOf<'UnknownOutcomeSettled'>): void => {
  const turn = turnOf(event);
  for (const [key, calls] of [...state.rows.unsettled]) {
    const left = calls.filter((c) => c.turn !== turn || c.call !== event.data.call);
    if (left.length === calls.length) continue;
    if (left.length === 0) dropRow(state, 'unsettled', key);
    else setRow(state, 'unsettled', key, left);
  }
};

const issueGrant = (state: LedgerState, event: EventOf<'GrantIssued'>): void => {
  // The log's time never goes back, so what is expired now can never be valid for a reader again.
  for (const [id, grant] of [...state.rows.grants])
    if (grant.expires !== 'never' && grant.expires < event.time) dropRow(state, 'grants', id);
  setRow(state, 'grants', event.data.grant, event.data);
};

const issueToken = (state: LedgerState, event: EventOf<'TokenIssued'>): void => {
  const { token, name, hash, roles, scopes, expires } = event.data;
  setRow(state, 'tokens', token, { id: token, name, roles, scopes, hash, expires });
  state.tokenIds.set(hash, token);
};

const revokeToken = (state: LedgerState, event: EventOf<'TokenRevoked'>): void => {
  const token = state.rows.tokens.get(event.data.token);
  if (token === undefined) return;
  state.tokenIds.delete(token.hash);
  dropRow(state, 'tokens', token.id);
};

const stopKey = (agent: string | null): string => (agent === null ? 'stop' : `stop ${agent}`);

/** One entry per event type, so that a new type does not compile until it is decided here; null = changes nothing. */
const folds: Folds = {
  SessionOpened: (state, event) => {
    const id = sessionOf(event);
    const { agent, owner } = event.data;
    const { revision } = event;
    setRow(state, 'sessions', id, { id, agent, owner, closed: false, turns: [], revision });
  },
  MessageAccepted: acceptMessage,
  MessageDropped: dropMessage,
  SessionReset: (state, event) => {
    changeSession(state, event, { turns: [] });
  },
  SessionClosed: (state, event) => {
    changeSession(state, event, { closed: true });
  },
  TurnRequested: begin,
  PolicyResolved: limitSpending,
  TurnRefused: end,
  PolicyNarrowed: limitSpending,
  SkillActivated: null,
  MemoryRecalled: null,
  ContextTrimmed: null,
  ModelCallStarted: startModel,
  ModelCallCompleted: settleModel,
  ModelCallFailed: settleModel,
  ToolCallAuthorized: null,
  ToolCallRefused: null,
  ApprovalRequested: ask,
  ApprovalVoted: (state, event) => {
    const known = state.rows.pending.get(event.data.approval);
    if (known?.votes === undefined) return;
    const votes = { ...known.votes, given: known.votes.given + 1 };
    setRow(state, 'pending', known.id, { ...known, votes });
  },
  ApprovalGranted: settleApproval,
  ApprovalDenied: settleApproval,
  ApprovalExpired: settleApproval,
  ApprovalClosed: settleApproval,
  QuestionAsked: ask,
  QuestionAnswered: settleQuestion,
  QuestionExpired: settleQuestion,
  ToolCallStarted: startTool,
  ToolCallCompleted: null,
  ToolCallFailed: null,
  ToolCallCancelled: null,
  ToolCallOutcomeUnknown: outcomeUnknown,
  UnknownOutcomeSettled: outcomeSettled,
  BudgetWarning: null,
  BudgetExhausted: null,
  LoopDetected: null,
  ChildTurnLinked: null,
  TurnSteered: null,
  CancelRequested: null,
  TurnTakenOver: null,
  TurnCompleted: end,
  TurnFailed: end,
  TurnCancelled: end,
  ...replyFolds,
  ConfigApplied: (state, event) => {
    const { time, meta, data } = event;
    const person = meta.principal?.person ?? null;
    setRow(state, 'configs', String(data.version), { time, person, data });
  },
  ConfigRejected: null,
  ChannelFallbackUsed: null,
  PatternUnmatched: null,
  GrantIssued: issueGrant,
  GrantRevoked: (state, event) => {
    dropRow(state, 'grants', event.data.grant);
  },
  AgentPaused: (state, event) => {
    const agent = agentOf(event);
    const { by, why } = event.data;
    setRow(state, 'flags', `pause ${agent}`, { kind: 'pause', agent, by, why, since: event.time });
  },
  AgentResumed: (state, event) => {
    dropRow(state, 'flags', `pause ${agentOf(event)}`);
  },
  OwnershipTaken: null,
  ToolsListed: null,
  MemoryStored: null,
  MemoryForgotten: null,
  MemoryImported: null,
  ...jobFolds,
  ...sopFolds,
  ArtifactRecorded: null,
  TokenIssued: issueToken,
  TokenRevoked: revokeToken,
  SignedIn: null,
  AccessDenied: null,
  ConnectionOpened: (state, event) => {
    const { connection, narrowing, principal } = event.data;
    setRow(state, 'connections', connection, { id: connection, narrowing, principal });
  },
  ConnectionClosed: (state, event) => {
    dropRow(state, 'connections', event.data.connection);
  },
  InboundRefused: null,
  TrailViewed: null,
  EvidenceExported: null,
  DaemonStarted: null,
  LogAdopted: null,
  DaemonStopped: null,
  ProbesStarted: null,
  ProbeRecorded: null,
  ProbesCompleted: null,
  ProbesFailed: null,
  CheckpointSigned: null,
  EmergencyStopSet: (state, event) => {
    const { agent, by, why } = event.data;
    setRow(state, 'flags', stopKey(agent), { kind: 'stop', agent, by, why, since: event.time });
  },
  EmergencyStopCleared: (state, event) => {
    dropRow(state, 'flags', stopKey(event.data.agent));
  },
  SubjectErased: null,
};

/** Event types that change the ledger: start-up reads no others. */
export const ledgerTypes: readonly EventType[] = (Object.keys(folds) as EventType[]).filter(
  (type) => folds[type] !== null,
);
