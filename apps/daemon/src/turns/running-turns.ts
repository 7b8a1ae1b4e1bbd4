import { decide, type LockstepEvent, type NewMeta } from '@lockstep/engine';
import type { DispatchTurn } from './dispatch-turn.command.ts';
import { TurnLog } from './turn-log.ts';
import type { RunnerParts } from './runner-parts.ts';
import { TurnRunner } from './turn-runner.ts';

export const RUNNING_TURNS = Symbol('RUNNING_TURNS');

type Resting = (runner: TurnRunner, turn: string) => void;

/** The turns that this daemon runs, by id. */
export class RunningTurns {
  readonly #parts: RunnerParts;
  readonly #runners = new Map<string, TurnRunner>();
  readonly #work = new Set<Promise<void>>();
  readonly #resting: Resting[] = [];

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    parts.config.onApplied(() => {
      for (const runner of this.#runners.values()) runner.checkConfig();
    });
  }

  /** Told whenever a turn waits for people, has ended, or has halted. */
  onRest(resting: Resting): void {
    this.#resting.push(resting);
  }

  find(turn: string): TurnRunner | null {
    return this.#runners.get(turn) ?? null;
  }

  /** Begins a turn. Its first facts are recorded in one append with what follows at once. A refused one is durable when this
   * resolves. */
  async begin(dispatched: DispatchTurn): Promise<void> {
    const { turn, command, meta, listening } = dispatched;
    const log = new TurnLog(this.#parts, meta, turn);
    const decision = decide(command, log.state);
    if (decision.kind !== 'record') return;
    log.add(decision.facts);
    const work = this.#run(this.#runner(log, { turn, listening }), 'new');
    if (command.type === 'RefuseTurn') await work;
  }

  /** Takes up a turn that an earlier run of the daemon left open. */
  async resume(turn: string, events: readonly LockstepEvent[], meta: NewMeta): Promise<void> {
    const log = new TurnLog(this.#parts, meta, turn);
    await log.load(events);
    await log.loadTexts();
    void this.#run(this.#runner(log, { turn, listening: false }), 'recovered');
  }

  /** Begins nothing more. Resolves when every turn has ended, waits, or has come to a point from which it can be taken up. */
  async drain(): Promise<void> {
    for (const runner of this.#runners.values()) runner.drain();
    await Promise.all(this.#work);
  }

  #runner(log: TurnLog, of: { readonly turn: string; readonly listening: boolean }): TurnRunner {
    const runner = new TurnRunner(this.#parts, log, {
      listening: of.listening,
      onRest: (resting) => {
        if (resting.rest !== 'waiting') this.#runners.delete(of.turn);
        for (const listener of this.#resting) listener(resting, of.turn);
      },
    });
    this.#runners.set(of.turn, runner);
    return runner;
  }

  #run(runner: TurnRunner, mode: 'new' | 'recovered'): Promise<void> {
    const work = runner.run(mode).finally(() => this.#work.delete(work));
    this.#work.add(work);
    return work;
  }
}
