import type { PolicySnapshot } from '@lockstep/policy';
import type { CapUse } from '../events/parts.ts';
import type { Ledger, SpendingRecord } from '../ports/ledger.ts';
import { bindsAll } from './binds-all.ts';
import { capUse, treeCaps } from './cap-uses.ts';
import { addCost } from './price-of.ts';

/** What a turn has decided to start and the log has not acknowledged yet. */
export interface HeldSpending {
  readonly agent: string;
  /** The turn and every turn above it. */
  readonly chain: readonly string[];
  readonly tools: number;
  readonly tokens: number;
  /** Micro-dollars. */
  readonly cost: number;
}

/** A turn as its caps are looked up; it may not stand in the log yet. */
export interface CappedTurn {
  readonly turn: string;
  readonly parent: string | null;
  readonly policy: PolicySnapshot;
}

/** What the log does not say at once. */
export interface Live {
  readonly now: number;
  /** Of other turns and of this one; see `Spending`. */
  readonly held: readonly HeldSpending[];
  /** Budgets of an open turn that this daemon runs, as its policy has them now; null = it runs no such turn. */
  readonly budgetsOf: (turn: string) => PolicySnapshot['budgets'] | null;
  /** Active time so far of an open turn that this daemon runs, in ms; 0 = it runs no such turn. */
  readonly activeOf: (turn: string) => number;
}

/** Caps that bind a turn and of which its own stream does not tell the use: those of every turn above it, those of the windows of its
 * agent, and, under the turn's own id, what the turns below it take of its own. */
export const outsideCaps = (turn: CappedTurn, ledger: Ledger, live: Live): readonly CapUse[] => [
  ...belowCaps(turn, ledger, live),
  ...ancestors(turn, ledger).flatMap((above) => ancestorCaps(above, ledger, live)),
  ...windowCaps(turn.policy, ledger, live),
];

const ancestors = (turn: CappedTurn, ledger: Ledger): readonly SpendingRecord[] => {
  const found: SpendingRecord[] = [];
  for (let at = turn.parent; at !== null;) {
    const above = ledger.spending(at);
    if (above === null) break;
    found.push(above);
    at = above.parent;
  }
  return found;
};

const ancestorCaps = (above: SpendingRecord, ledger: Ledger, live: Live): CapUse[] => {
  const budgets = live.budgetsOf(above.turn) ?? above.budgets;
  if (budgets === null) return [];
  const { own, held, below, started } = above;
  const now = heldIn(live, (one) => one.chain.includes(above.turn));
  return treeCaps(above.turn, budgets, {
    tools: { used: started.tools + below.tools, reserved: now.tools },
    tokens: {
      used: own.tokens + below.tokens,
      reserved: held.tokens + below.heldTokens + now.tokens,
    },
    cost: {
      used: addCost(own.cost, below.cost),
      reserved: held.cost + below.heldCost + now.cost,
    },
    seconds: Math.floor((live.activeOf(above.turn) + activeBelow(above, ledger, live)) / 1_000),
  });
};

/** Nothing is said of a turn that has started none. */
const belowCaps = ({ turn, policy }: CappedTurn, ledger: Ledger, live: Live): CapUse[] => {
  const record = ledger.spending(turn);
  const now = heldIn(live, ({ chain }) => chain[0] !== turn && chain.includes(turn));
  if (record === null || (ledger.below(turn).length === 0 && now.tools + now.tokens === 0))
    return [];
  const { below } = record;
  return treeCaps(turn, policy.budgets, {
    tools: { used: below.tools, reserved: now.tools },
    tokens: { used: below.tokens, reserved: below.heldTokens + now.tokens },
    cost: { used: below.cost, reserved: below.heldCost + now.cost },
    seconds: Math.floor(activeBelow(record, ledger, live) / 1_000),
  });
};

const activeBelow = (record: SpendingRecord, ledger: Ledger, live: Live): number =>
  ledger
    .below(record.turn)
    .reduce((sum, one) => sum + (one.open ? live.activeOf(one.turn) : 0), record.below.activeMs);

const windowCaps = (policy: PolicySnapshot, ledger: Ledger, live: Live): CapUse[] => {
  if (!bindsAll(policy)) return [];
  const { agent, budgets } = policy;
  const { actions, cost, held } = ledger.windows(agent, live.now);
  const now = heldIn(live, (one) => one.agent === agent);
  const all = [
    capUse('budgets.max_actions_per_hour', agent, budgets.max_actions_per_hour, {
      used: actions,
      reserved: now.tools,
    }),
    capUse('budgets.max_cost_usd_per_day', agent, budgets.max_cost_usd_per_day, {
      used: cost,
      reserved: held + now.cost,
    }),
  ];
  return all.filter((one) => one !== null);
};

const heldIn = (live: Live, counts: (held: HeldSpending) => boolean) =>
  live.held.filter(counts).reduce(
    (sum, one) => ({
      tools: sum.tools + one.tools,
      tokens: sum.tokens + one.tokens,
      cost: sum.cost + one.cost,
    }),
    { tools: 0, tokens: 0, cost: 0 },
  );
