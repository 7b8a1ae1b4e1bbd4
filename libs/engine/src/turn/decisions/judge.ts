import { effectNames, type Effect as ToolEffect } from '@lockstep/policy';
import { warnPercent } from '../../budget/binds-all.ts';
import { capUses, nothingInFlight } from '../../budget/cap-uses.ts';
import { detectLoop } from '../../budget/detect-loop.ts';
import { countedKeys, joinCaps } from '../../budget/join-caps.ts';
import { warnings } from '../../budget/warnings.ts';
import type { DataOf, TurnFact } from '../../events/event.ts';
import type { CapUse, Facts } from '../../events/parts.ts';
import { authorize } from '../../gate/authorize.ts';
import { fullCap } from '../../gate/budget-rule.ts';
import type { GateCall, Verdict } from '../../gate/verdict.ts';
import { effectsOf } from '../../tools/effects.ts';
import type { CommandOf, PreparedCall } from '../commands.ts';
import { record, type Decision } from '../decision.ts';
import { finishIfDue } from '../finish.ts';
import { isOpen, speculate } from '../speculate.ts';
import { mayStart } from '../start-slots.ts';
import { activeAt, callsOf, type ApprovalRef, type CallState, type OpenTurn } from '../state.ts';
import { closePending, requestApproval } from './ask.ts';
import { gateState, ownCaps, takenBefore } from './caps.ts';
import { startFacts } from './start-call.ts';
import { unknownOutcome } from './tools.ts';

/** Verdicts over calls, in call order and in one append. Each is judged by what the ones before it leave; what is allowed and finds
 * a free slot starts in the same append. */
export const judgeCalls = (command: CommandOf<'JudgeCalls'>, state: OpenTurn): Decision => {
  let current = state;
  const facts: TurnFact[] = [];
  const due = callsOf(state).filter((call) => call.status !== 'ended');
  for (const [index, call] of due.entries()) {
    const prepared = command.calls.find((one) => one.call.call === call.call);
    if (prepared === undefined) continue;
    const { now, outside = [] } = command;
    const begun = startedIn(facts);
    const more = judge({ prepared, call, now, outside, begun }, current);
    facts.push(...more);
    if (index === due.length - 1) break;
    const after = speculate(current, more, command.now);
    if (!isOpen(after)) break;
    current = after;
  }
  return record(finishIfDue(state, [...facts, ...warningsOf(command, facts, state)], command.now));
};

interface Judging {
  readonly prepared: PreparedCall;
  readonly call: Exclude<CallState, { status: 'ended' }>;
  readonly now: number;
  /** Caps outside the stream, as they stood before this append. */
  readonly outside: readonly CapUse[];
  /** Tool calls that this append starts before this one. */
  readonly begun: number;
}

/** First attempts that these facts start. */
const startedIn = (facts: readonly TurnFact[]): number =>
  facts.filter((fact) => fact.type === 'ToolCallStarted' && fact.data.attempt === 1).length;

/** Caps that the calls of this append bring to the share at which the policy warns. */
const warningsOf = (
  { now, outside = [] }: CommandOf<'JudgeCalls'>,
  facts: readonly TurnFact[],
  state: OpenTurn,
): readonly TurnFact[] => {
  const begun = startedIn(facts);
  if (begun === 0) return [];
  const { turn, policy, totals, warned } = state;
  const own = capUses(
    { turn, policy, totals },
    { ...nothingInFlight, activeMs: activeAt(state, now) },
  );
  const caps = joinCaps(own, outside, { turn, taken: 0 })
    .filter(({ key }) => countedKeys.has(key) || key === 'budgets.turn_timeout_secs')
    .map((cap) =>
      cap.used === 'unknown' || !countedKeys.has(cap.key)
        ? cap
        : { ...cap, used: cap.used + begun },
    );
  return warnings(caps, { turn, percent: warnPercent(policy), warned });
};

/** One call with its verdict and what every verdict event says of it. */
export interface Judged {
  readonly prepared: PreparedCall;
  readonly now: number;
  readonly data: Omit<DataOf<'ToolCallRefused'>, 'shown' | 'approval'>;
}

const judge = (judging: Judging, state: OpenTurn): readonly TurnFact[] => {
  const { prepared, call, now } = judging;
  const facts: Facts = { ...prepared.facts, caps: capsFor(state, judging) };
  const verdict = authorize(prepared.call, facts, gateState(state, approvalOf(call)));
  const judged: Judged = { prepared, now, data: judgedData(prepared.call, call, verdict, facts) };
  switch (call.status) {
    case 'pending':
      return verdict.kind === 'refuse' ? closePending(call, verdict, judged) : [];
    case 'running':
      return verdict.kind === 'allow'
        ? allow(judged, verdict, { state, attempt: call.attempt + 1 })
        : [unknownOutcome(call, `it was not run again: ${verdict.why}`)];
    case 'asked':
    case 'authorized':
    case 'granted':
      return first(judged, verdict, { state, approval: approvalOf(call) });
  }
};

const first = (
  judged: Judged,
  verdict: Verdict,
  { state, approval }: { readonly state: OpenTurn; readonly approval: ApprovalRef | null },
): readonly TurnFact[] => {
  switch (verdict.kind) {
    case 'allow':
      return loopFacts(judged, state) ?? allow(judged, verdict, { state, attempt: 1 });
    case 'ask':
      return loopFacts(judged, state) ?? requestApproval(judged, verdict, state);
    case 'refuse':
      return [
        refused(judged, verdict.shown, approval?.id ?? null),
        ...exhaustedBy(verdict, judged, state),
      ];
  }
};

const refused = (judged: Judged, shown: string, approval: string | null): TurnFact => ({
  type: 'ToolCallRefused',
  data: { ...judged.data, shown, approval },
});

const allow = (
  judged: Judged,
  verdict: Extract<Verdict, { kind: 'allow' }>,
  { state, attempt }: { readonly state: OpenTurn; readonly attempt: number },
): readonly TurnFact[] => {
  const { tool } = judged.data;
  if (tool === null) return [];
  const { binding, by, grant, approval } = verdict;
  const authorized: TurnFact = {
    type: 'ToolCallAuthorized',
    data: { ...judged.data, tool, binding, by, grant, approval },
  };
  const { operands } = judged.data.facts;
  const starts = mayStart(state, judged.data.call, { operands, effects: judged.data.effects });
  return starts
    ? [authorized, ...startFacts(judged, { state, attempt, binding, tool })]
    : [authorized];
};

/** The same call too often in the window: it is refused, and the turn fails once what runs has ended. */
const loopFacts = (judged: Judged, state: OpenTurn): readonly TurnFact[] | null => {
  const { tool, argsDigest } = judged.data;
  const limits = state.policy.budgets.loop_detection;
  const repeats = tool === null ? null : detectLoop(limits, state.trace, { tool, argsDigest });
  if (tool === null || repeats === null) return null;
  return [
    { type: 'LoopDetected', data: { tool, argsDigest, repeats, window: limits.window } },
    {
      type: 'ToolCallRefused',
      data: {
        ...judged.data,
        rule: 'budgets.loop_detection',
        pattern: null,
        why: `the same call stands ${repeats} times in the last ${limits.window}`,
        shown: 'the call was refused: it repeats itself',
        approval: null,
      },
    },
  ];
};

/** A refusal by a cap names the limit and ends the turn. */
const exhaustedBy = (
  verdict: Extract<Verdict, { kind: 'refuse' }>,
  judged: Judged,
  state: OpenTurn,
): readonly TurnFact[] => {
  const cap = fullCap(judged.data.facts.caps);
  if (cap?.key !== verdict.rule || cap.cap === 'unlimited' || state.ending !== null) return [];
  const { key, scope, used } = cap;
  return [
    {
      type: 'BudgetExhausted',
      data: { key, scope, cap: cap.cap, used, wanted: 1, why: verdict.why },
    },
  ];
};

const capsFor = (state: OpenTurn, { call, now, outside, begun }: Judging): CapUse[] => {
  const { turn } = state;
  const taken = takenBefore(state, call);
  return joinCaps(ownCaps(state, call, now), outside, {
    turn,
    taken: taken < 0 ? taken : taken + begun,
  });
};

const approvalOf = (call: CallState): ApprovalRef | null =>
  call.status === 'granted' || call.status === 'authorized' || call.status === 'running'
    ? call.approval
    : null;

const judgedData = (
  gateCall: GateCall,
  call: CallState,
  verdict: Verdict,
  facts: Facts,
): Judged['data'] => ({
  call: call.call,
  tool: gateCall.spec?.id ?? null,
  alias: call.alias,
  args: call.args,
  argsDigest: gateCall.argsDigest,
  effects: effectsIn(gateCall),
  rule: verdict.rule,
  pattern: verdict.pattern,
  why: verdict.why,
  facts,
});

/** An unknown tool, and one whose arguments cannot be read, counts as having every effect it can have. */
const effectsIn = ({ spec, args }: GateCall): ToolEffect[] => {
  if (spec === null) return [...effectNames];
  return [...(args.ok ? effectsOf(spec, args.value) : spec.effects)];
};
