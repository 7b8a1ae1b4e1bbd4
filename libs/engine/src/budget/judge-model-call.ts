import type { Limit, PolicySnapshot } from '@lockstep/policy';
import type { DataOf } from '../events/event.ts';
import type { CapUse } from '../events/parts.ts';
import { fits, remainder } from './account.ts';
import { capUses, nothingInFlight, type TurnSpending } from './cap-uses.ts';
import { joinCaps } from './join-caps.ts';
import { priceOf, type Cost } from './price-of.ts';

export type ModelCallBudget =
  | {
      readonly ok: true;
      /** Held until the outcome settles it. */
      readonly reserved: { readonly tokens: number; readonly cost: Cost };
      /** The most output tokens that the provider may be asked for. */
      readonly maxOutputTokens: Limit;
    }
  | { readonly ok: false; readonly exhausted: DataOf<'BudgetExhausted'> };

/** Whether a model call may start: the estimate of its prompt plus `max_output_tokens`, and their price, must fit into what is left
 * of every cap: the turn's own, those of the turns above it, and the agent's day. A price that is not known fits no cost cap. With
 * unlimited output tokens the caps themselves bound the output. */
export const judgeModelCall = (
  spending: TurnSpending,
  promptTokens: number,
  outside: readonly CapUse[] = [],
): ModelCallBudget => {
  const caps = modelCaps(spending, outside);
  const of = (...keys: readonly CapUse['key'][]): readonly CapUse[] =>
    caps.filter(({ key }) => keys.includes(key));
  const tokenCaps = of('budgets.max_tokens_per_turn');
  const costCaps = of('budgets.max_cost_usd_per_turn', 'budgets.max_cost_usd_per_day');
  const early =
    costOfUnknown(spending.policy, costCaps) ?? timeIsUp(of('budgets.turn_timeout_secs'));
  if (early !== null) return early;
  const output = outputTokens(spending.policy, promptTokens, { tokenCaps, costCaps });
  const tokens = promptTokens + (output === 'unlimited' ? 0 : output);
  const cost = priceOf(spending.policy.provider.prices, {
    inputTokens: promptTokens,
    outputTokens: tokens - promptTokens,
    cachedInputTokens: 0,
  });
  const full =
    noRoom(tokenCaps, tokens, 'tokens') ??
    (cost === 'unknown' ? null : noRoom(costCaps, cost, 'micro-dollars'));
  return full ?? { ok: true, reserved: { tokens, cost }, maxOutputTokens: output };
};

/** Every cap that binds a model call, as it stands before it. */
export const modelCaps = (spending: TurnSpending, outside: readonly CapUse[]): CapUse[] =>
  joinCaps(capUses(spending, nothingInFlight), outside, { turn: spending.turn, taken: 0 });

interface Caps {
  readonly tokenCaps: readonly CapUse[];
  readonly costCaps: readonly CapUse[];
}

/** At least one, so that a call for which nothing is left is refused and not sent without an answer. */
const outputTokens = (policy: PolicySnapshot, promptTokens: number, caps: Caps): Limit => {
  const wanted = policy.budgets.max_output_tokens;
  if (wanted !== 'unlimited') return Math.max(1, wanted);
  const bounds = [
    ...caps.tokenCaps.map((cap) => left(cap) - promptTokens),
    ...caps.costCaps.map((cap) => affordable(policy, promptTokens, left(cap))),
  ];
  const least = Math.min(...bounds, Number.POSITIVE_INFINITY);
  return least === Number.POSITIVE_INFINITY ? 'unlimited' : Math.max(1, least);
};

/** Nothing is left where it is not known what was used. */
const left = ({ cap, used, reserved }: CapUse): number => {
  if (used === 'unknown') return 0;
  const rest = remainder({ cap, used, reserved });
  return rest === 'unlimited' ? Number.POSITIVE_INFINITY : rest;
};

const affordable = (policy: PolicySnapshot, promptTokens: number, micro: number): number => {
  const { prices } = policy.provider;
  if (prices.kind !== 'priced' || prices.output === 0) return Number.POSITIVE_INFINITY;
  return Math.floor((micro * 1_000_000 - promptTokens * prices.input) / prices.output);
};

/** INVARIANT: what has no price is never taken for free. Under a cost cap it is refused, whoever used it. */
const costOfUnknown = (
  { provider }: PolicySnapshot,
  costCaps: readonly CapUse[],
): ModelCallBudget | null => {
  const unpriced = provider.prices.kind === 'unknown';
  const full = costCaps.find(
    ({ cap, used }) => cap !== 'unlimited' && (unpriced || used === 'unknown'),
  );
  if (full === undefined || full.cap === 'unlimited') return null;
  const { key, scope, cap, used } = full;
  const why = unpriced
    ? `the price of \`${provider.alias}\` is unknown, so \`${key}\` of \`${scope}\` cannot be kept`
    : `what counts against \`${key}\` of \`${scope}\` has no known price, so the cap cannot be kept`;
  return { ok: false, exhausted: { key, scope, cap, used, wanted: 0, why } };
};

/** Time of a turn above that is used up. A turn's own is watched by the clock. */
const timeIsUp = (caps: readonly CapUse[]): ModelCallBudget | null => {
  const full = caps.find(
    ({ cap, used }) => cap !== 'unlimited' && used !== 'unknown' && used >= cap,
  );
  if (full === undefined || full.cap === 'unlimited') return null;
  const { key, scope, cap, used } = full;
  const why = `\`${key}\` of \`${scope}\` is ${cap}: ${used} seconds of active time are used`;
  return { ok: false, exhausted: { key, scope, cap, used, wanted: 0, why } };
};

const noRoom = (caps: readonly CapUse[], wanted: number, unit: string): ModelCallBudget | null => {
  const full = caps.find(
    (one) => one.used === 'unknown' || !fits({ ...one, used: one.used }, wanted),
  );
  if (full === undefined || full.cap === 'unlimited') return null;
  const { key, scope, cap, used } = full;
  return {
    ok: false,
    exhausted: {
      key,
      scope,
      cap,
      used,
      wanted,
      why: `\`${key}\` of \`${scope}\` leaves ${left(full)} ${unit} and the model call needs ${wanted}`,
    },
  };
};
