import type { EventOf, EventType, LockstepEvent, TurnFact } from '../../events/event.ts';
import { callsOf } from '../../turn/state.ts';
import { isEnd } from '../check-history.ts';
import { findAhead } from '../cursor.ts';
import { beginModelCall } from '../model-port.ts';
import { capsUnder } from './caps-under.ts';
import { cursorOf, expireEarlier, takeEarly, takeInput } from './inputs-now.ts';
import { judgeDue, judgeNow } from './judge.ts';
import { beginModelCallNow } from './model-call.ts';
import { isToldTheSame } from './told.ts';
import { isVerdict } from './turn-index.ts';
import { openNow, openThen, pass, stopHere, tell, type Walk } from './walk.ts';

/** Takes both turns along the recorded events until they end, or until nothing more can be known. */
export const walkTurn = (walk: Walk): void => {
  for (let event = walk.events[walk.at]; event !== undefined; event = walk.events[walk.at]) {
    step(walk, event);
    if (isDone(walk)) return;
    checkEnd(walk, event);
    if (isDone(walk) || !pass(walk, event)) return;
  }
};

const isDone = ({ horizon, unfed }: Walk): boolean => horizon !== null || unfed !== null;

const step = (walk: Walk, event: LockstepEvent): void => {
  expireEarlier(walk, event.time);
  if (others.has(event.type) || openThen(walk) === null) takeOver(walk, event);
  else if (isInput(walk, event)) takeInput(walk, event);
  else ownWork(walk, event);
  takeEarly(walk);
};

/** What others record in the stream of a turn: no decision of the engine. */
const others: ReadonlySet<EventType> = new Set<EventType>([
  'ChildTurnLinked',
  'TurnTakenOver',
  'ReplyDeliveryStarted',
  'ReplyDelivered',
  'ReplyDeliveryFailed',
]);

const takeOver = (walk: Walk, event: LockstepEvent): void => {
  const state = openNow(walk);
  if (event.type === 'ChildTurnLinked') {
    const call = state && callsOf(state).find((one) => one.call === event.data.call);
    // The turn below begins with the call that starts it.
    if (call?.status !== 'running' && call?.status !== 'ended') return;
  }
  const fact = { type: event.type, data: event.data } as TurnFact;
  walk.facts.push({ at: walk.at, fact });
  walk.now = walk.engine.evolve(walk.now, { ...fact, time: event.time, meta: event.meta });
};

const inputs: ReadonlySet<EventType> = new Set<EventType>([
  'ModelCallCompleted',
  'MemoryRecalled',
  'SkillActivated',
  'ToolCallCompleted',
  'ToolCallFailed',
  'ToolCallOutcomeUnknown',
  'ApprovalVoted',
  'ApprovalGranted',
  'ApprovalDenied',
  'ApprovalExpired',
  'QuestionExpired',
  'QuestionAnswered',
  'TurnSteered',
  'CancelRequested',
  'PolicyNarrowed',
]);

/** Whether an event says what came from outside; all others are the engine's own work. */
const isInput = (walk: Walk, event: LockstepEvent): boolean => {
  // The end of a turn closes the model call that it cuts off.
  if (event.type === 'ModelCallFailed') return event.data.error.kind !== 'cancelled';
  if (event.type === 'BudgetExhausted') return isTimer(walk, event);
  if (event.type === 'TurnFailed') return event.data.code === 'internal';
  return inputs.has(event.type);
};

/** Time that runs out by the clock. A verdict or a model call that finds it used up says so itself. */
const isTimer = ({ events, at, turn }: Walk, { data }: EventOf<'BudgetExhausted'>): boolean =>
  data.key === 'budgets.turn_timeout_secs' &&
  data.scope === turn &&
  data.used !== 'unknown' &&
  !isOfVerdict(events[at - 1], data.key);

const isOfVerdict = (before: LockstepEvent | undefined, key: string): boolean =>
  before?.type === 'ToolCallRefused' && before.data.rule === key;

/** What stands in the append of verdicts, or closes what an end leaves open. */
const alongside: ReadonlySet<EventType> = new Set<EventType>([
  'ToolCallAuthorized',
  'ToolCallRefused',
  'ApprovalRequested',
  'ApprovalClosed',
  'ToolCallStarted',
  'ToolCallCancelled',
  'QuestionAsked',
  'LoopDetected',
  'BudgetWarning',
  'ModelCallFailed',
]);

const ownWork = (walk: Walk, event: LockstepEvent): void => {
  judgeDue(walk);
  judgeAgain(walk, event);
  const before = walk.events[walk.at - 1];
  if (alongside.has(event.type)) return;
  if (event.type === 'BudgetExhausted' && isOfVerdict(before, event.data.key)) return;
  if (isEnd(event)) end(walk);
  else nextModelCall(walk, event);
};

/** A call that a restart runs again, and one that waits for a person while a newer config comes into force, are judged anew. */
const judgeAgain = (walk: Walk, event: LockstepEvent): void => {
  const state = openNow(walk);
  const then = openThen(walk);
  if (state === null || then === null) return;
  const next = walk.events[walk.at + 1];
  const closed = event.type === 'ApprovalClosed' && next?.type === 'ToolCallRefused';
  if (!closed && !isVerdict(event)) return;
  const { call } = event.data;
  const wanted = closed ? 'pending' : 'running';
  const isOne = (calls: ReturnType<typeof callsOf>): boolean =>
    calls.some((one) => one.call === call && one.status === wanted);
  const ahead = walk.calls.get(call)?.verdicts.some(({ at }) => at >= walk.at) === true;
  if (ahead && isOne(callsOf(state)) && isOne(callsOf(then))) judgeNow(walk, state, [call]);
};

/** The recorded turn has ended here. */
const end = (walk: Walk): void => {
  if (openNow(walk) === null) return;
  const event = walk.events[walk.at];
  if (walk.engine.nextEffect(walk.now).kind === 'finish')
    tell(walk, { type: 'Finish', now: event?.time ?? 0 });
  if (openNow(walk) !== null) stopHere(walk, null);
};

const between: ReadonlySet<EventType> = new Set<EventType>(['ContextTrimmed', 'BudgetExhausted']);

/** The recorded turn asks its model again, or finds no budget for that. So does the other one, if the model would be told the same. */
const nextModelCall = (walk: Walk, event: LockstepEvent): void => {
  const state = openNow(walk);
  const then = openThen(walk);
  if (state === null || then === null || state.model.kind === 'calling') return;
  recallNothing(walk);
  const effect = walk.engine.nextEffect(walk.now);
  if (effect.kind === 'finish') tell(walk, { type: 'Finish', now: event.time });
  const told = isToldTheSame(then, state);
  if (!told || (effect.kind !== 'call-model' && effect.kind !== 'retry-model')) {
    stopHere(walk, null);
    return;
  }
  const recorded = findAhead(walk, 'ModelCallStarted', between);
  if (recorded === null) withoutRoom(walk, effect.final);
  else if (recorded.data.final !== effect.final)
    stopHere(walk, 'the model would have been asked for its last word at another step');
  else {
    const current = openNow(walk);
    if (current !== null && !beginModelCallNow(walk, current, recorded)) stopHere(walk, null);
  }
};

/** What memory would give was not recorded where the recorded policy did not ask. */
const recallNothing = (walk: Walk): void => {
  const state = openNow(walk);
  if (state === null || walk.engine.nextEffect(walk.now).kind !== 'recall-memory') return;
  walk.notes.add('what memory would have given unasked is not recorded: it was taken as nothing');
  const person = { kind: 'anyone' } as const;
  const scope = { backend: 'none', agents: [], person } as const;
  tell(walk, {
    type: 'RecallMemory',
    now: state.time.last,
    recalled: {
      query: { inline: '' },
      limit: 0,
      scope: { ...scope, backend: 'sqlite', agents: [] },
      rows: [],
    },
  });
};

/** The recorded turn found no budget for a model call. What this one would have been sent is built as for a replay. */
const withoutRoom = (walk: Walk, final: boolean): void => {
  const state = openNow(walk);
  const next = beginModelCall(cursorOf(walk), final);
  if (state === null || next.kind !== 'command' || next.command.type !== 'BeginModelCall') {
    if (next.kind === 'unfed') walk.unfed = next.unfed;
    return;
  }
  const outside = capsUnder(walk, state, next.command.outside ?? []);
  tell(walk, { ...next.command, outside });
  if (openNow(walk) !== null)
    stopHere(walk, 'the recorded turn had no budget left for its model, and this one would have');
};

/** Where one of the two turns ends and the other does not, nothing more can be known. */
const checkEnd = (walk: Walk, event: LockstepEvent): void => {
  if (walk.now.status !== 'ended' || openThen(walk) === null) return;
  const last = walk.facts.at(-1)?.fact.type;
  if (isEnd(event)) {
    if (event.type !== last) stopHere(walk, null);
    return;
  }
  for (let at = walk.at + 1; at < walk.events.length; at += 1) {
    const next = walk.events[at];
    if (next === undefined) return;
    if (isEnd(next) && next.type === last) return;
    if (alongside.has(next.type) || next.type === 'BudgetExhausted') continue;
    walk.horizon = at;
    walk.notes.add('the turn would have ended here');
    return;
  }
};
