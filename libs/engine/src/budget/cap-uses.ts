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
 * that is not known is no number, and the next model call is refused for it. */
export const capUses = (spending: TurnSpending, inFlight: InFlight): CapUse[] => {
  const { budgets } = spending.policy;
  const { toolCalls, tokens, cost } = spending.totals;
  const seconds = Math.floor(inFlight.activeMs / 1_000);
  const all: (CapUse | null)[] = [
    use('budgets.max_tool_calls', budgets.max_tool_calls, toolCalls, inFlight.toolCalls),
    use('budgets.max_tokens_per_turn', budgets.max_tokens_per_turn, tokens, inFlight.tokens),
    cost === 'unknown'
      ? null
      : use('budgets.max_cost_usd_per_turn', budgets.max_cost_usd_per_turn, cost, inFlight.cost),
    use('budgets.turn_timeout_secs', budgets.turn_timeout_secs, seconds, 0),
  ];
  return all.flatMap((found) => (found === null ? [] : [{ ...found, scope: spending.turn }]));
};

const use = (key: CapUse['key'], cap: Limit, used: number, reserved: number): CapUse | null =>
  cap === 'unlimited' ? null : { key, scope: '', cap, used, reserved };
