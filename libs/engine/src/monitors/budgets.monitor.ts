import type { EnforcedKey, PolicySnapshot } from '@lockstep/policy';
import type { Objection } from '../projections/parity-matrix.view.ts';
import { authorizationOf } from './calls.ts';
import { governed, objector, type Governed, type Monitor } from './monitor.ts';
import { charsOf, type RecordedTurn } from './recorded-turn.ts';
import { activeBefore, inFlightAfter, usedBefore } from './spent.ts';
import { waitsForOthers } from './tool-facts.ts';

type Limited = {
  [K in keyof PolicySnapshot['budgets']]: PolicySnapshot['budgets'][K] extends number | 'unlimited'
    ? K
    : never;
}[keyof PolicySnapshot['budgets']];

/** A cap as a number; no limit is infinite. */
const cap = (policy: PolicySnapshot, key: Limited): number => {
  const limit = policy.budgets[key];
  return limit === 'unlimited' ? Infinity : limit;
};

const iterations = objector('budgets.max_tool_iterations');
/** Model calls with tools stay within the cap; the last call offers none, and not before its time. */
const iterationsMonitor: Monitor = (turn) =>
  governed(turn, 'ModelCallStarted').flatMap((at) => {
    const { modelCall, final, advertised } = at.event.data;
    const limit = cap(at.policy, 'max_tool_iterations');
    if (!final && modelCall > limit)
      return [iterations.violated(at, `model call ${modelCall} offers tools, the cap is ${limit}`)];
    if (final && advertised.length > 0)
      return [iterations.violated(at, 'the last model call still offers tools')];
    return final && modelCall <= limit
      ? [iterations.narrower(at, 'tools were withheld before the cap was reached')]
      : [];
  });

const parallel = objector('budgets.max_parallel_tools');
/** Never more calls in flight than the cap. */
const parallelMonitor: Monitor = (turn) => {
  const flights = inFlightAfter(turn);
  return governed(turn, 'ToolCallStarted').flatMap((at) => {
    const many = flights.get(at.index) ?? 0;
    return many > cap(at.policy, 'max_parallel_tools')
      ? [parallel.violated(at, `${many} calls are in flight at once`)]
      : [];
  });
};

const resultChars = objector('budgets.max_tool_result_chars');
/** What the model sees of a result fits the cap, and nothing that fits was cut. */
const resultMonitor: Monitor = (turn) =>
  governed(turn, 'ToolCallCompleted').flatMap((at) => {
    const limit = cap(at.policy, 'max_tool_result_chars');
    const { chars, truncated, result } = at.event.data;
    const shown = charsOf(result, turn.around);
    if ((shown ?? 0) > limit || (chars > limit && !truncated))
      return [resultChars.violated(at, `a result of ${shown ?? chars} characters was not cut`)];
    return truncated && chars <= limit
      ? [resultChars.narrower(at, `a result of ${chars} characters was cut`)]
      : [];
  });

const outputTokens = objector('budgets.max_output_tokens');
/** No model call is asked for more output than the cap. */
const outputMonitor: Monitor = (turn) =>
  governed(turn, 'ModelCallStarted').flatMap((at) => {
    const { maxOutputTokens: asked } = at.event.data;
    const limit = cap(at.policy, 'max_output_tokens');
    return (asked === 'unlimited' ? Infinity : asked) > limit
      ? [outputTokens.violated(at, `up to ${asked} tokens of output were asked for`)]
      : [];
  });

const loops = objector('budgets.loop_detection');
/** The same call is not made more often within the window than the policy says, and no loop is seen where there is none. */
const loopMonitor: Monitor = (turn) => {
  const made: string[] = [];
  const objections: Objection[] = [];
  for (const at of governed(turn, 'ToolCallStarted')) {
    if (at.event.data.attempt > 1) continue;
    const { window, max_repeats: most } = at.policy.budgets.loop_detection;
    made.push(`${at.event.data.tool} ${at.event.data.argsDigest}`);
    const same = made.slice(-window).filter((call) => call === made.at(-1)).length;
    if (same > most) objections.push(loops.violated(at, `the same call was made ${same} times`));
  }
  for (const at of governed(turn, 'LoopDetected'))
    if (at.event.data.repeats < at.policy.budgets.loop_detection.max_repeats)
      objections.push(loops.narrower(at, `${at.event.data.repeats} repeats are no loop yet`));
  return objections;
};

const toolCalls = objector('budgets.max_tool_calls');
/** Not more calls start than the caps of the turn and of those above it; none is refused for a cap that is not reached. */
const toolCallsMonitor: Monitor = (turn) => {
  const started = new Set<string>();
  const over = governed(turn, 'ToolCallStarted').flatMap((at) => {
    started.add(at.event.data.call);
    if (started.size > cap(at.policy, 'max_tool_calls'))
      return [toolCalls.violated(at, `call ${started.size} of the turn started`)];
    const full = treeOver(turn, at, 'toolCalls', 'max_tool_calls');
    return full === null
      ? []
      : [toolCalls.violated(at, `call ${full.used} of turn \`${full.turn}\` and below started`)];
  });
  return [...over, ...governed(turn, 'ToolCallRefused').flatMap((at) => freeCall(turn, at))];
};

/** Judged only where the turn stands alone: calls of a tree are counted together. */
const freeCall = (turn: RecordedTurn, at: Governed<'ToolCallRefused'>): readonly Objection[] => {
  if (at.event.data.rule !== 'budgets.max_tool_calls') return [];
  if (at.event.meta.chain.length > 0 || turn.all('ChildTurnLinked').length > 0) return [];
  const taken = new Set(
    [...turn.all('ToolCallAuthorized'), ...turn.all('ToolCallStarted')]
      .filter(({ index }) => index < at.index)
      .map(({ event }) => event.data.call),
  );
  return taken.size + 1 <= cap(at.policy, 'max_tool_calls')
    ? [toolCalls.narrower(at, `refused as call ${taken.size + 1} of the turn`)]
    : [];
};

/** The first tree that this turn belongs to whose cap a beginning went over, with what was used there. The turn's own cap is the
 * one in force for it now; those above are as they stood then. */
const treeOver = (
  turn: RecordedTurn,
  at: Governed<'ModelCallStarted'> | Governed<'ToolCallStarted'>,
  what: 'toolCalls' | 'tokens' | 'cost',
  key: Limited,
): { readonly turn: string; readonly used: number | 'unknown' } | null => {
  for (const tree of turn.around.tally(at.event.id)?.trees ?? []) {
    const limit = tree.turn === turn.id ? at.policy.budgets[key] : tree.caps?.[what];
    const used = tree[what];
    if (limit === undefined || limit === 'unlimited') continue;
    if (used === 'unknown' || used > limit) return { turn: tree.turn, used };
  }
  return null;
};

const tokens = objector('budgets.max_tokens_per_turn');
/** No model call begins that could pass the cap. */
const tokensMonitor: Monitor = (turn) =>
  governed(turn, 'ModelCallStarted').flatMap((at) => {
    const wanted = usedBefore(turn, at.index).tokens + at.event.data.reserved.tokens;
    if (wanted > cap(at.policy, 'max_tokens_per_turn'))
      return [tokens.violated(at, `a model call began that may reach ${wanted} tokens`)];
    const full = treeOver(turn, at, 'tokens', 'max_tokens_per_turn');
    return full === null
      ? []
      : [tokens.violated(at, `turn \`${full.turn}\` and below may reach ${full.used} tokens`)];
  });

const cost = objector('budgets.max_cost_usd_per_turn');
/** No model call begins that could pass the cap, or whose price is unknown under one. */
const costMonitor: Monitor = (turn) =>
  governed(turn, 'ModelCallStarted').flatMap((at) => {
    const limit = cap(at.policy, 'max_cost_usd_per_turn');
    const full = treeOver(turn, at, 'cost', 'max_cost_usd_per_turn');
    if (full !== null)
      return [cost.violated(at, `turn \`${full.turn}\` and below may cost ${full.used}`)];
    if (limit === Infinity) return [];
    const spent = usedBefore(turn, at.index).cost;
    const { cost: wanted } = at.event.data.reserved;
    if (spent === 'unknown' || wanted === 'unknown')
      return [cost.violated(at, 'a model call began whose price is unknown, under a cap')];
    return spent + wanted > limit
      ? [cost.violated(at, `a model call began that may cost ${spent + wanted} micro-dollars`)]
      : [];
  });

const toolTimeout = objector('budgets.tool_timeout_secs');
/** Every call that waits for no person and no child is given at most the policy's time, and keeps to it. */
const toolTimeoutMonitor: Monitor = (turn) => [
  ...governed(turn, 'ToolCallStarted').flatMap((at) => {
    const { timeoutMs, tool } = at.event.data;
    const limit = cap(at.policy, 'tool_timeout_secs') * 1_000;
    return !waitsForOthers.has(tool) && (timeoutMs === 'unlimited' ? Infinity : timeoutMs) > limit
      ? [toolTimeout.violated(at, `\`${tool}\` was given more time`)]
      : [];
  }),
  ...governed(turn, 'ToolCallCompleted').flatMap((at) => {
    const tool = authorizationOf(turn, at.event.data.call, at.index)?.event.data.tool ?? '';
    const limit = cap(at.policy, 'tool_timeout_secs') * 1_000 + timeoutSlackMs;
    return !waitsForOthers.has(tool) && at.event.data.durationMs > limit
      ? [toolTimeout.violated(at, `\`${tool}\` ran for ${at.event.data.durationMs} ms`)]
      : [];
  }),
];
const timeoutSlackMs = 5_000;

const turnTimeout = objector('budgets.turn_timeout_secs');
/** Nothing begins after the turn's active time is used up, and no turn fails for it before. */
const turnTimeoutMonitor: Monitor = (turn) => {
  const starts = [...governed(turn, 'ModelCallStarted'), ...governed(turn, 'ToolCallStarted')];
  return [
    ...starts.flatMap((at) => {
      const limit = cap(at.policy, 'turn_timeout_secs') * 1_000;
      const over =
        usedBefore(turn, at.index).busyMs > limit && activeBefore(turn, at.index) > limit;
      return over ? [turnTimeout.violated(at, 'work began after the active time was used up')] : [];
    }),
    ...governed(turn, 'TurnCompleted').flatMap((at) =>
      at.event.data.activeMs > cap(at.policy, 'turn_timeout_secs') * 1_000 + timeoutSlackMs
        ? [turnTimeout.violated(at, `the turn was active for ${at.event.data.activeMs} ms`)]
        : [],
    ),
    ...governed(turn, 'TurnFailed').flatMap(({ event, policy }) => {
      const early = event.data.activeMs < cap(policy, 'turn_timeout_secs') * 1_000;
      return event.data.code === 'turn_timeout' && early
        ? [turnTimeout.narrower({ event }, `timed out after ${event.data.activeMs} ms`)]
        : [];
    }),
  ];
};

export const budgetsMonitors = {
  'budgets.max_tool_iterations': iterationsMonitor,
  'budgets.max_parallel_tools': parallelMonitor,
  'budgets.max_tool_result_chars': resultMonitor,
  'budgets.max_output_tokens': outputMonitor,
  'budgets.loop_detection': loopMonitor,
  'budgets.max_tool_calls': toolCallsMonitor,
  'budgets.max_tokens_per_turn': tokensMonitor,
  'budgets.max_cost_usd_per_turn': costMonitor,
  'budgets.turn_timeout_secs': turnTimeoutMonitor,
  'budgets.tool_timeout_secs': toolTimeoutMonitor,
} satisfies Partial<Record<EnforcedKey, Monitor>>;
