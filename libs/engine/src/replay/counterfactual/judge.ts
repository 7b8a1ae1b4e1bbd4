import type { EventType } from '../../events/event.ts';
import type { Facts, ToolSpec } from '../../events/parts.ts';
import { fed, type Fed } from '../fed.ts';
import { outsideOf } from '../../budget/join-caps.ts';
import type { CommandOf, PreparedCall } from '../../turn/commands.ts';
import { ownCaps, takenBefore } from '../../turn/decisions/caps.ts';
import { readCall, unsealedIn } from '../../turn/read-call.ts';
import { callsOf, type CallState, type OpenTurn } from '../../turn/state.ts';
import { factsUnder } from './facts-under.ts';
import { capsUnder } from './caps-under.ts';
import type { CallRecord, VerdictEvent } from './turn-index.ts';
import { openNow, openThen, tell, type Walk } from './walk.ts';

/** Gives the verdicts that are due, with what each recorded one had read. Calls on which no verdict is recorded stay open.
 * @returns false when there was none to give */
export const judgeNow = (walk: Walk, state: OpenTurn, ids: readonly string[]): boolean => {
  const prepared: PreparedCall[] = [];
  let first: { readonly verdict: VerdictEvent; readonly call: CallState } | null = null;
  const verdicts: VerdictEvent[] = [];
  for (const call of callsOf(state)) {
    const known = ids.includes(call.call) ? walk.calls.get(call.call) : undefined;
    const verdict = known === undefined ? undefined : verdictFor(walk, known);
    if (known === undefined || verdict === undefined) continue;
    const made = prepare(walk, state, { call, verdict, record: known });
    if (made === null) return false;
    prepared.push(made);
    first ??= { verdict, call };
    verdicts.push(verdict);
  }
  if (first === null) return false;
  const now = judgedAt(walk, verdicts);
  const command: CommandOf<'JudgeCalls'> = { type: 'JudgeCalls', now, calls: prepared };
  const outside = outsideFor(walk, state, first.verdict);
  return tell(
    walk,
    outside.length === 0 ? command : { ...command, outside },
    activeIn(first.verdict.data.facts, walk.turn),
  );
};

/** The next recorded verdict on a call, or the last one where none follows: it was judged earlier then. */
const verdictFor = ({ at }: Walk, { verdicts }: CallRecord): VerdictEvent | undefined =>
  (verdicts.find((one) => one.at >= at) ?? verdicts.at(-1))?.event;

const prepare = (
  walk: Walk,
  state: OpenTurn,
  of: { readonly call: CallState; readonly verdict: VerdictEvent; readonly record: CallRecord },
): PreparedCall | null => {
  const { call, verdict, record } = of;
  const raw = walk.recording.textOf(call.args);
  const spec = specOf(walk, verdict);
  if (!raw.ok || !spec.ok) {
    walk.unfed = raw.ok ? (spec.ok ? null : spec) : raw;
    return null;
  }
  const gateCall = readCall(call, raw.value, spec.value);
  const notBy = record.asked?.data.notBy;
  return {
    call: gateCall,
    facts: factsUnder(walk, state, { call: gateCall, verdict }),
    ids: { approval: record.asked?.data.approval ?? '', question: record.question ?? '' },
    // What stood in the file is recorded nowhere but in the view itself.
    before: null,
    unsealed: unsealedIn(state, gateCall),
    ...(notBy == null ? {} : { asker: notBy }),
    ...(record.started?.children === undefined ? {} : { children: record.started.children }),
  };
};

const specOf = ({ recording }: Walk, { data }: VerdictEvent): Fed<ToolSpec | null> =>
  data.facts.spec === null ? fed(null) : recording.spec(data.facts.spec);

/** The caps outside the turn's stream as the recorded verdict read them, with the limits of the other policy. */
const outsideFor = (walk: Walk, state: OpenTurn, verdict: VerdictEvent) => {
  const then = openThen(walk);
  const recorded = then && callsOf(then).find((one) => one.call === verdict.data.call);
  if (then === null || recorded == null) return [];
  const own = ownCaps(then, recorded, then.time.last);
  const at = { turn: walk.turn, taken: takenBefore(then, recorded) };
  return capsUnder(walk, state, outsideOf(verdict.data.facts.caps, own, at));
};

/** When it was judged: the intent of a start says it, else a deadline does, else it is about when the verdict was recorded. */
const judgedAt = (walk: Walk, verdicts: readonly VerdictEvent[]): number =>
  startedAt(walk) ?? deadlineSays(walk, verdicts) ?? verdicts[0]?.time ?? 0;

/** The first start in the recorded append of verdicts. */
const startedAt = ({ events, at }: Walk): number | null => {
  for (const event of events.slice(at)) {
    if (event.type === 'ToolCallStarted') return event.data.now;
    if (!besides.has(event.type)) return null;
  }
  return null;
};

/** What stands in the log between the verdicts of one step. */
const besides: ReadonlySet<EventType> = new Set<EventType>([
  'ToolCallAuthorized',
  'ToolCallRefused',
  'ApprovalRequested',
  'ApprovalClosed',
  'QuestionAsked',
  'LoopDetected',
  'BudgetExhausted',
  'BudgetWarning',
]);

const deadlineSays = (walk: Walk, verdicts: readonly VerdictEvent[]): number | null => {
  const seconds = openThen(walk)?.policy.approval.timeout_secs ?? 'unlimited';
  if (seconds === 'unlimited') return null;
  for (const { type, data } of verdicts)
    if (type === 'ApprovalRequested' && data.deadline !== 'never')
      return data.deadline - seconds * 1000;
  return null;
};

/** Active time as the facts of a verdict say it, in whole seconds. */
const activeIn = ({ caps }: Facts, turn: string): number | null => {
  for (const cap of caps)
    if (cap.key === 'budgets.turn_timeout_secs' && cap.scope === turn && cap.used !== 'unknown')
      return cap.used * 1000;
  return null;
};

/** Gives every verdict that is due. */
export const judgeDue = (walk: Walk): void => {
  for (;;) {
    const state = openNow(walk);
    const effect = walk.engine.nextEffect(walk.now);
    if (state === null || effect.kind !== 'judge-calls') return;
    if (!judgeNow(walk, state, effect.calls)) return;
  }
};
