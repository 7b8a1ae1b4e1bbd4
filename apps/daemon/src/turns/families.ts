import {
  callsOf,
  childTools,
  waitsForOthers,
  type Ledger,
  type CallState,
  type OpenTurn,
  type TurnState,
} from '@lockstep/engine';
import type { TurnRunner } from './turn-runner.ts';

/** An open turn below another one. */
export interface FamilyMember {
  readonly turn: string;
  readonly agent: string;
  readonly parent: string;
  /** The call of the parent that started it. */
  readonly call: string | null;
  /** `waiting`: nothing in it or below it goes on before a person has spoken. */
  readonly status: 'running' | 'waiting';
  /** Approvals and questions that it asks itself. */
  readonly approvals: readonly string[];
}

/** Which of the running turns hang below which. */
export class Families {
  readonly #runners: () => Iterable<TurnRunner>;

  readonly #gates: GatesOf;

  constructor(runners: () => Iterable<TurnRunner>, gates: GatesOf) {
    this.#runners = runners;
    this.#gates = gates;
  }

  /** Turns below another one, at every depth, in the order in which they began here. */
  below(turn: string): readonly TurnRunner[] {
    return [...this.#runners()].filter((runner) => runner.log.meta.chain.includes(turn));
  }

  members(turn: string): readonly FamilyMember[] {
    return this.below(turn).flatMap((runner) => {
      const { recorded, meta } = runner.log;
      if (recorded.status !== 'open' || meta.parent === null) return [];
      return [
        {
          turn: recorded.turn,
          agent: recorded.request.agent,
          parent: meta.parent,
          call: recorded.call,
          status: this.isWaiting(runner) ? ('waiting' as const) : ('running' as const),
          approvals: [...askedBy(recorded), ...gatesIn(recorded, this.#gates)],
        },
      ];
    });
  }

  /** Whether a turn and all that it waits for wait for people. */
  isWaiting({ log }: TurnRunner): boolean {
    const below = (turn: string) =>
      this.below(turn).map(({ log: { recorded, meta } }) => ({
        state: recorded,
        parent: meta.parent,
      }));
    return isWaitingIn(log.recorded, below, this.#gates);
  }
}

/** A turn below another one, as its log has it. */
export interface RecordedMember {
  readonly state: TurnState;
  readonly parent: string | null;
}

/** Whether a turn and all that it waits for wait for people.
 * @param below turns below one of these, at every depth
 * @param gates what procedures that a call started ask of people */
export const isWaitingIn = (
  state: TurnState,
  below: (turn: string) => readonly RecordedMember[],
  gates: GatesOf,
): boolean => {
  if (state.status !== 'open' || !waitsForOthers(state)) return false;
  return callsOf(state).every((call) => {
    if (!waitsBelow(call) || gates(state.turn, call.call).length > 0) return true;
    const started = below(state.turn).filter(
      (one) =>
        one.parent === state.turn && one.state.status === 'open' && one.state.call === call.call,
    );
    return started.length > 0 && started.every((one) => isWaitingIn(one.state, below, gates));
  });
};

/** Gates that wait before steps of the procedures which a call of a turn started. */
export type GatesOf = (turn: string, call: string) => readonly string[];

/** Gates that a turn waits for. */
export const gatesIn = (state: TurnState, gates: GatesOf): readonly string[] =>
  state.status === 'open'
    ? callsOf(state).flatMap((call) => (waitsBelow(call) ? gates(state.turn, call.call) : []))
    : [];

/** Gates as the ledger has them. */
export const gatesFrom =
  (ledger: Pick<Ledger, 'sopRuns' | 'pending'>): GatesOf =>
  (turn, call) => {
    const runs = ledger
      .sopRuns()
      .filter(({ parent }) => parent?.turn === turn && parent.call === call);
    if (runs.length === 0) return [];
    return ledger
      .pending()
      .filter((asked) => asked.kind === 'gate' && runs.some(({ id }) => id === asked.turn))
      .map(({ id }) => id);
  };

const waitsBelow = (call: CallState): boolean =>
  call.status === 'running' && childTools.has(call.tool);

/** Approvals and questions that a turn asks, in call order. */
export const askedBy = (state: OpenTurn): readonly string[] =>
  callsOf(state).flatMap((call) => {
    if (call.status === 'pending') return [call.approval];
    return call.status === 'running' && call.question !== null ? [call.question.id] : [];
  });
