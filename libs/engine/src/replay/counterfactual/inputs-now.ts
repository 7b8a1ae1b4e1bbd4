import type { EventOf, EventType, LockstepEvent } from '../../events/event.ts';
import { childVoice } from '../../turn/child-voice.ts';
import type { CommandOf } from '../../turn/commands.ts';
import { callsOf, type CallState, type OpenTurn, type PendingCall } from '../../turn/state.ts';
import type { Cursor, Next } from '../cursor.ts';
import { inputOf, newerConfig } from '../inputs.ts';
import { policiesOf } from '../policies.ts';
import { judgeDue } from './judge.ts';
import { openNow, openThen, stopHere, tell, type Walk } from './walk.ts';

type Readers = {
  readonly [T in EventType]?: (walk: Walk, state: OpenTurn, event: EventOf<T>) => void;
};

/** What came from outside, handed to the turn as it would be, where it still has a place for it: an answer to a question that nobody
 * asks, or the outcome of a call that does not run, has none. */
export const takeInput = (walk: Walk, event: LockstepEvent): void => {
  const state = openNow(walk);
  if (state === null) return;
  const read: ((walk: Walk, state: OpenTurn, event: never) => void) | undefined =
    readers[event.type];
  if (read === undefined) told(walk, event);
  else read(walk, state, event as never);
};

/** Where a command is made from a recorded event, by what the turn would be. */
export const cursorOf = (walk: Walk): Cursor => ({
  engine: walk.engine,
  recording: walk.recording,
  policies: policiesOf(walk.engine),
  past: walk.past,
  turn: walk.turn,
  events: walk.events,
  at: walk.at,
  state: walk.now,
  daemon: walk.events[walk.at]?.meta.daemon ?? '',
  recovery: [],
  seenConfig: 0,
  otherRegistry: null,
});

/** Tells the engine what a recorded event says. False = nothing follows. */
const told = (walk: Walk, event: LockstepEvent): boolean => {
  const next = inputOf(cursorOf(walk), event);
  return next !== null && say(walk, next);
};

const say = (walk: Walk, next: Next): boolean => {
  if (next.kind === 'unfed') walk.unfed = next.unfed;
  return next.kind === 'command' && tell(walk, next.command, next.activeMs);
};

const modelEnded = (
  walk: Walk,
  { model }: OpenTurn,
  event: EventOf<'ModelCallCompleted' | 'ModelCallFailed'>,
): void => {
  const { modelCall, attempt } = event.data;
  if (model.kind === 'calling' && model.modelCall === modelCall && model.attempt === attempt)
    told(walk, event);
  else stopHere(walk, null);
};

const recalled = (walk: Walk, _: OpenTurn, event: EventOf<'MemoryRecalled'>): void => {
  if (event.data.by === 'tool') outcomeOf(walk, event, event.data.call ?? '');
  else if (walk.engine.nextEffect(walk.now).kind === 'recall-memory') told(walk, event);
  else
    walk.notes.add(
      'nothing of memory would have been given unasked: its recorded replies were used',
    );
};

/** The outcome of a call, once it runs. One that waits longer for its place gets it when it starts. */
const outcome = (
  walk: Walk,
  _: OpenTurn,
  event: EventOf<'ToolCallCompleted' | 'ToolCallFailed' | 'SkillActivated'>,
): void => {
  outcomeOf(walk, event, event.data.call);
};

const outcomeOf = (walk: Walk, event: LockstepEvent, id: string): void => {
  if (statusOf(walk, id) === 'authorized') judgeDue(walk);
  const status = statusOf(walk, id);
  if (status === 'authorized') walk.early.set(id, event);
  if (status === 'running') endCall(walk, event);
};

/** Outcomes that came before their calls started, now that they have. */
export const takeEarly = (walk: Walk): void => {
  for (const [id, event] of walk.early)
    if (statusOf(walk, id) === 'running') {
      walk.early.delete(id);
      endCall(walk, event);
      judgeDue(walk);
    }
};

const endCall = (walk: Walk, event: LockstepEvent): void => {
  const next = inputOf({ ...cursorOf(walk), at: walk.events.indexOf(event) }, event);
  if (next === null) return;
  if (next.kind !== 'command' || next.command.type !== 'EndToolCall') {
    say(walk, next);
    return;
  }
  const command = next.command;
  const call = openNow(walk) && callNow(walk, command.report.call);
  if (call?.status !== 'running') return;
  const report = { ...command.report, attempt: call.attempt };
  tell(walk, { ...command, report: late(walk, report) });
};

type Report = CommandOf<'EndToolCall'>['report'];

/** A call that took longer than the other policy gives it would have been cut off. */
const late = (walk: Walk, report: Report): Report => {
  const before = openThen(walk)?.policy.budgets.tool_timeout_secs;
  const now = openNow(walk)?.policy.budgets.tool_timeout_secs;
  if (now === undefined || now === 'unlimited' || now === before) return report;
  if (!report.outcome.ok || report.durationMs <= now * 1000) return report;
  return {
    ...report,
    outcome: { ok: false, kind: 'timeout', message: `no answer within ${now} s`, touched: [] },
  };
};

const callNow = (walk: Walk, id: string): CallState | undefined => {
  const state = openNow(walk);
  return state === null ? undefined : callsOf(state).find(({ call }) => call === id);
};

const statusOf = (walk: Walk, id: string): CallState['status'] | undefined =>
  callNow(walk, id)?.status;

const pendingBy = (state: OpenTurn, approval: string): PendingCall | null => {
  for (const call of callsOf(state))
    if (call.status === 'pending' && call.approval === approval) return call;
  return null;
};

/** A person's word, about what that person would have been shown. A standing grant that would not be offered is a yes for once. */
const decided = (
  walk: Walk,
  state: OpenTurn,
  event: EventOf<'ApprovalVoted' | 'ApprovalGranted' | 'ApprovalDenied'>,
): void => {
  const call = pendingBy(state, event.data.approval);
  const next = call === null ? null : inputOf(cursorOf(walk), event);
  if (call === null || next?.kind !== 'command' || next.command.type !== 'DecideApproval') {
    if (next !== null) say(walk, next);
    return;
  }
  const { decision } = next.command;
  const shown = { ...decision, shown: call.viewDigest };
  if (tell(walk, { ...next.command, decision: shown })) {
    if (statusOf(walk, call.call) === 'pending' && event.type !== 'ApprovalVoted')
      walk.notes.add('more people would have had to decide than did');
    return;
  }
  const once = {
    ...shown,
    choice: shown.choice === 'deny' ? 'deny' : 'once',
    grant: null,
  } as const;
  if (!tell(walk, { ...next.command, decision: once }))
    walk.notes.add(
      `the answer to \`${event.data.approval}\` would not have counted: ${walk.refusal ?? 'nothing was asked'}`,
    );
};

/** With another time limit, who was waited for then may still be waited for. */
const isStillDue = (
  state: OpenTurn,
  { call: id, now }: { readonly call: string; readonly now: number },
): boolean => {
  const call = callsOf(state).find((one) => one.call === id);
  const deadline =
    call?.status === 'pending'
      ? call.deadline
      : call?.status === 'running'
        ? (call.question?.deadline ?? 'never')
        : 'never';
  return deadline !== 'never' && deadline <= now;
};

/** What a turn below has left is said only where that turn was started. */
const speaksHere = ({ children }: OpenTurn, { data }: EventOf<'TurnSteered'>): boolean =>
  !data.by.startsWith(childVoice('')) || children.some(({ turn }) => data.by === childVoice(turn));

const isOfConfig = ({ data }: EventOf<'CancelRequested'>): boolean =>
  data.by === 'config' && /^config version \d+: /.test(data.why);

const cancelled = (walk: Walk, _: OpenTurn, event: EventOf<'CancelRequested'>): void => {
  if (!isOfConfig(event)) {
    told(walk, event);
    return;
  }
  if (walk.ask.config === undefined) told(walk, event);
  if (openNow(walk) !== null)
    stopHere(
      walk,
      'a newer config cancelled the recorded turn, and would not have cancelled this one',
    );
};

const narrowed = (walk: Walk, _: OpenTurn, event: EventOf<'PolicyNarrowed'>): void => {
  const { config, records } = event.data;
  if (walk.ask.config !== undefined)
    walk.notes.add(
      `config version ${config.version} came into force while the turn ran: it is left out, the other config holds for the whole turn`,
    );
  else if (walk.ask.start === undefined) say(walk, newerConfig(cursorOf(walk), config, records));
  else say(walk, newerConfig(cursorOf(walk), config));
};

const lost = (walk: Walk, _: OpenTurn, { time, data }: EventOf<'ToolCallOutcomeUnknown'>): void => {
  tell(walk, { type: 'LoseToolCall', now: time, call: data.call, why: data.why });
};

const expired = (
  walk: Walk,
  state: OpenTurn,
  event: EventOf<'ApprovalExpired' | 'QuestionExpired'>,
): void => {
  if (isStillDue(state, event.data)) told(walk, event);
};

const steered = (walk: Walk, state: OpenTurn, event: EventOf<'TurnSteered'>): void => {
  if (speaksHere(state, event)) told(walk, event);
};

const timedOut = (walk: Walk, _: OpenTurn, event: EventOf<'BudgetExhausted'>): void => {
  if (!told(walk, event) || openNow(walk) !== null)
    stopHere(walk, 'the recorded turn ran out of time, and this one would have some left');
};

const readers: Readers = {
  ModelCallCompleted: modelEnded,
  ModelCallFailed: modelEnded,
  MemoryRecalled: recalled,
  SkillActivated: outcome,
  ToolCallCompleted: outcome,
  ToolCallFailed: outcome,
  ToolCallOutcomeUnknown: lost,
  ApprovalVoted: decided,
  ApprovalGranted: decided,
  ApprovalDenied: decided,
  ApprovalExpired: expired,
  QuestionExpired: expired,
  TurnSteered: steered,
  CancelRequested: cancelled,
  PolicyNarrowed: narrowed,
  BudgetExhausted: timedOut,
};

/** People who would have had less time than they took. */
export const expireEarlier = (walk: Walk, time: number): void => {
  const state = openNow(walk);
  const then = openThen(walk);
  if (state === null || then === null) return;
  if (state.policy.approval.timeout_secs === then.policy.approval.timeout_secs) return;
  for (const call of callsOf(state)) {
    if (call.status !== 'pending' || call.deadline === 'never' || call.deadline >= time) continue;
    const recorded = pendingBy(then, call.approval);
    if (recorded === null || recorded.deadline === call.deadline) continue;
    tell(walk, { type: 'ExpireWaits', now: call.deadline, startedAt: 0 });
    walk.notes.add('a person took longer to answer than there would have been time');
  }
};
