import {
  activeAt,
  outsideCaps,
  waitsForOthers,
  type CapUse,
  type Clock,
  type HeldSpending,
  type Ledger,
  type NewMeta,
  type OpenTurn,
  type TurnFact,
} from '@lockstep/engine';

interface SpendingParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** The state of a turn that this daemon runs; null = it runs no such turn, or it is not open. */
  readonly live: (turn: string) => OpenTurn | null;
}

interface Held {
  readonly agent: string;
  readonly chain: readonly string[];
  /** First attempts of tools, and model calls, that the log will say this turn has started once it has acknowledged them. */
  readonly tools: number;
  readonly models: number;
  readonly tokens: number;
  /** Micro-dollars. */
  readonly cost: number;
}

/** What running turns have decided to use and the log has not acknowledged: held from the decision on, given back when the log takes
 * it or refuses it. What it has acknowledged is the ledger's. */
export class Spending {
  readonly #parts: SpendingParts;
  readonly #held = new Map<string, Held>();

  constructor(parts: SpendingParts) {
    this.#parts = parts;
  }

  /** Caps beside the turn's own stream, as they stand now. Nothing may be awaited between this and the decision. */
  outside(state: OpenTurn, meta: NewMeta): readonly CapUse[] {
    const { ledger, clock, live } = this.#parts;
    const { turn, policy } = state;
    const now = clock.now();
    return outsideCaps({ turn, parent: meta.parent, policy }, ledger, {
      now,
      held: this.#unacknowledged(),
      budgetsOf: (id) => live(id)?.policy.budgets ?? null,
      activeOf: (id) => {
        const open = live(id);
        return open === null ? 0 : activeAt(open, now);
      },
    });
  }

  /** Caps of active time beside the turn's own stream: of the turns above it, and of its own what those below it take. */
  times(state: OpenTurn, meta: NewMeta): readonly CapUse[] {
    if (meta.parent === null && this.#parts.ledger.below(state.turn).length === 0) return [];
    return this.outside(state, meta).filter(({ key }) => key === 'budgets.turn_timeout_secs');
  }

  /** How many turns use up the active time of a turn now: itself and those below it, as far as they wait for nobody. At least one. */
  activeIn(turn: string): number {
    const { ledger, live } = this.#parts;
    const active = [turn, ...ledger.below(turn).map((one) => one.turn)].filter((id) => {
      const state = live(id);
      return state !== null && !waitsForOthers(state);
    });
    return Math.max(1, active.length);
  }

  /** Holds what these facts of a turn will use. */
  hold(turn: string, meta: NewMeta, facts: readonly TurnFact[]): void {
    const known = this.#held.get(turn) ?? this.#nothing(turn, meta);
    let { tools, models, tokens, cost } = known;
    for (const fact of facts) {
      if (fact.type === 'ToolCallStarted' && fact.data.attempt === 1) tools += 1;
      if (fact.type !== 'ModelCallStarted') continue;
      const { reserved } = fact.data;
      models += 1;
      tokens += reserved.tokens;
      cost += reserved.cost === 'unknown' ? 0 : reserved.cost;
    }
    if (tools + models === known.tools + known.models) return;
    this.#held.set(turn, { ...known, tools, models, tokens, cost });
  }

  /** What a turn had decided is recorded, or never will be. */
  release(turn: string): void {
    this.#held.delete(turn);
  }

  #nothing(turn: string, meta: NewMeta): Held {
    const { tools, models } = this.#started(turn);
    const chain = [turn, ...[...meta.chain].reverse()];
    return { agent: meta.agent ?? '', chain, tools, models, tokens: 0, cost: 0 };
  }

  #started(turn: string): { readonly tools: number; readonly models: number } {
    return this.#parts.ledger.spending(turn)?.started ?? { tools: 0, models: 0 };
  }

  /** The ledger may have taken up an append whose writer does not know it yet: that is not counted twice. */
  #unacknowledged(): readonly HeldSpending[] {
    return [...this.#held].map(([turn, held]) => {
      const started = this.#started(turn);
      const isModelHeld = held.models > started.models;
      return {
        agent: held.agent,
        chain: held.chain,
        tools: Math.max(0, held.tools - started.tools),
        tokens: isModelHeld ? held.tokens : 0,
        cost: isModelHeld ? held.cost : 0,
      };
    });
  }
}
