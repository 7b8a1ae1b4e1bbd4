import type { Limit, PolicySnapshot } from '@lockstep/policy';
import type { DataOf } from '../events/event.ts';
import type { CapUse } from '../events/parts.ts';
import { fits, remainder } from './account.ts';
import { capUses, nothingInFlight, type TurnSpending } from './cap-uses.ts';
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
 * of every cap, the ancestors' included. An unknown price fits no cost cap. With unlimited output tokens the caps themselves
 * bound the output. */
export const judgeModelCall = (
  spending: TurnSpending,
  promptTokens: number,
  ancestors: readonly CapUse[] = [],
): ModelCallBudget => {
  const caps = [...capUses(spending, nothingInFlight), ...ancestors];
  const tokenCaps = caps.filter((c) => c.key === 'budgets.max_tokens_per_turn');
  const costCaps = caps.filter((c) => c.key === 'budgets.max_cost_usd_per_turn');
  const unpriced = costOfUnknown(spending, costCaps);
  if (unpriced !== null) return unpriced;
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

const left = (cap: CapUse): number => {
  const rest = remainder(cap);
  return rest === 'unlimited' ? Number.POSITIVE_INFINITY : rest;
};

const affordable = (policy: PolicySnapshot, promptTokens: number, micro: number): number => {
  const { prices } = policy.provider;
  if (prices.kind !== 'priced' || prices.output === 0) return Number.POSITIVE_INFINITY;
  return Math.floor((micro * 1_000_000 - promptTokens * prices.input) / prices.output);
};

const costOfUnknown = (
  { policy, totals, turn }: TurnSpending,
  caps: readonly CapUse[],
): ModelCallBudget | null => {
  if (policy.provider.prices.kind !== 'unknown' && totals.cost !== 'unknown') return null;
  const own = policy.budgets.max_cost_usd_per_turn;
  const cap = own === 'unlimited' ? caps[0] : { cap: own, scope: turn };
  if (cap === undefined || cap.cap === 'unlimited') return null;
  return {
    ok: false,
    exhausted: {
      key: 'budgets.max_cost_usd_per_turn',
      scope: cap.scope,
      cap: cap.cap,
      used: totals.cost === 'unknown' ? 0 : totals.cost,
      wanted: 0,
      why: `the price of \`${policy.provider.alias}\` is unknown, so \`budgets.max_cost_usd_per_turn\` cannot be kept`,
    },
  };
};

const noRoom = (caps: readonly CapUse[], wanted: number, unit: string): ModelCallBudget | null => {
  const full = caps.find((cap) => !fits(cap, wanted));
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
