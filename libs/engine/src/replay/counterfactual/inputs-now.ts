import type { EventOf, LockstepEvent } from '../../events/event.ts';
import { childVoice } from '../../turn/child-voice.ts';
import type { CommandOf } from '../../turn/commands.ts';
import { callsOf, type CallState, type OpenTurn, type PendingCall } from '../../turn/state.ts';
import type { Cursor, Next } from '../cursor.ts';
import { inputOf, newerConfig } from '../inputs.ts';
import { policiesOf } from '../policies.ts';
import { judgeDue } from './judge.ts';
import { openNow, openThen, stopHere, tell, type Walk } from './walk.ts';

/** What came from outside, handed to the turn as it would be, where it still has a place for it: an answer to a question that nobody
 * asks, or the outcome of a call that does not run, has none. */
export const takeInput = (walk: Walk, event: LockstepEvent): void => {
  const state = openNow(walk);
  if (state === null) return;
  switch (event.type) {
    case 'ModelCallCompleted':
    case 'ModelCallFailed':
      modelEnded(walk, state, event);
      return;
    case 'MemoryRecalled':
      if (event.data.by === 'auto') recalled(walk, event);
      else outcomeOf(walk, event, event.data.call ?? '');
      return;
    case 'SkillActivated':
    case 'ToolCallCompleted':
    case 'ToolCallFailed':
      outcomeOf(walk, event, event.data.call);
      return;
    case 'ToolCallOutcomeUnknown':
      tell(walk, {
        type: 'LoseToolCall',
        now: event.time,
        call: event.data.call,
        why: event.data.why,
      });
      return;
    case 'ApprovalVoted':
    case 'ApprovalGranted':
    case 'ApprovalDenied':
      decided(walk, state, event);
      return;
    case 'ApprovalExpired':
    case 'QuestionExpired':
      if (isStillDue(state, event.data)) told(walk, event);
      return;
    case 'QuestionAnswered':
      told(walk, event);
      return;
    case 'TurnSteered':
      if (speaksHere(state, event)) told(walk, event);
      return;
    case 'CancelRequested':
      cancelled(walk, event);
      return;
    case 'PolicyNarrowed':
      narrowed(walk, event);
      return;
    case 'BudgetExhausted':
      if (!told(walk, event) || openNow(walk) !== null)
        stopHere(walk, 'the recorded turn ran out of time, and this one would have some left');
      return;
    default:
      told(walk, event);
  }
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

const recalled = (walk: Walk, event: EventOf<'MemoryRecalled'>): void => {
  if (walk.engine.nextEffect(walk.now).kind === 'recall-memory') told(walk, event);
  else
    walk.notes.add(
      'nothing of memory would have been given unasked: its recorded replies were used',
    );
};

/** The outcome of a call, once it runs. One that waits longer for its place gets it when it starts. */
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
    walk.notes.add(`who decided on \`${event.data.approval}\` could not have done so`);
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

const cancelled = (walk: Walk, event: EventOf<'CancelRequested'>): void => {
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

const narrowed = (walk: Walk, event: EventOf<'PolicyNarrowed'>): void => {
  const { config, records } = event.data;
  if (walk.ask.config !== undefined)
    walk.notes.add(
      `config version ${config.version} came into force while the turn ran: it is left out, the other config holds for the whole turn`,
    );
  else if (walk.ask.start === undefined) say(walk, newerConfig(cursorOf(walk), config, records));
  else say(walk, newerConfig(cursorOf(walk), config));
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
