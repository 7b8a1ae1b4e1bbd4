import type { Limit, PolicySnapshot } from '@lockstep/policy';
import type { CapUse } from '../events/parts.ts';
import type { Cost } from './price-of.ts';

/** What a turn has used so far, as its stream says. */
export interface TurnSpending {
  /** Turn id: the scope of its caps. */
  readonly turn: string;
  readonly policy: PolicySnapshot;
  readonly totals: {
    readonly toolCalls: number;
    readonly tokens: number;
    readonly cost: Cost;
  };
}

/** What is held for work that has not ended, and the active time, all of which pass outside the totals. */
export interface InFlight {
  /** Calls that were let through and have not started. */
  readonly toolCalls: number;
  readonly tokens: number;
  /** Micro-dollars. */
  readonly cost: number;
  readonly activeMs: number;
}

/** Nothing is in flight and no active time is counted. */
export const nothingInFlight: InFlight = { toolCalls: 0, tokens: 0, cost: 0, activeMs: 0 };

/** Use and remainder of every cap of the turn that binds, for the facts of a verdict. Caps that are unlimited bind nothing; a cost
 * that is not known is no number, and what it caps is refused. */
export const capUses = (spending: TurnSpending, inFlight: InFlight): CapUse[] =>
  treeCaps(spending.turn, spending.policy.budgets, {
    tools: { used: spending.totals.toolCalls, reserved: inFlight.toolCalls },
    tokens: { used: spending.totals.tokens, reserved: inFlight.tokens },
    cost: { used: spending.totals.cost, reserved: inFlight.cost },
    seconds: Math.floor(inFlight.activeMs / 1_000),
  });

interface Use<T> {
  readonly used: T;
  readonly reserved: number;
}

/** Caps that a turn sets for itself and for everything below it, with what counts against each. */
export const treeCaps = (
  scope: string,
  budgets: PolicySnapshot['budgets'],
  use: {
    readonly tools: Use<number>;
    readonly tokens: Use<number>;
    readonly cost: Use<Cost>;
    readonly seconds: number;
  },
): CapUse[] => {
  const all: readonly (CapUse | null)[] = [
    capUse('budgets.max_tool_calls', scope, budgets.max_tool_calls, use.tools),
    capUse('budgets.max_tokens_per_turn', scope, budgets.max_tokens_per_turn, use.tokens),
    capUse('budgets.max_cost_usd_per_turn', scope, budgets.max_cost_usd_per_turn, use.cost),
    capUse('budgets.turn_timeout_secs', scope, budgets.turn_timeout_secs, {
      used: use.seconds,
      reserved: 0,
    }),
  ];
  return all.filter((one) => one !== null);
};

/** One cap with its use; null when it is unlimited. */
export const capUse = (
  key: CapUse['key'],
  scope: string,
  cap: Limit,
  { used, reserved }: Use<Cost>,
): CapUse | null => (cap === 'unlimited' ? null : { key, scope, cap, used, reserved });
