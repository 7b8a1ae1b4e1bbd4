import { decide, type LockstepEvent, type NewMeta } from '@lockstep/engine';
import type { DispatchTurn } from './dispatch-turn.command.ts';
import { Families, gatesFrom } from './families.ts';
import { TurnLog } from './turn-log.ts';
import type { RunnerParts } from './runner-parts.ts';
import { TurnRunner, type RunMode } from './turn-runner.ts';

export const RUNNING_TURNS = Symbol('RUNNING_TURNS');

type Resting = (runner: TurnRunner, turn: string) => void;

/** Pause before a turn that the log took no more events of is taken up again. */
const retryMs = 5_000;

/** The turns that this daemon runs, by id. */
export class RunningTurns {
  readonly families: Families;
  readonly #parts: RunnerParts;
  readonly #runners = new Map<string, TurnRunner>();
  readonly #work = new Set<Promise<void>>();
  readonly #resting: Resting[] = [];
  #draining = false;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.families = new Families(() => this.#runners.values(), gatesFrom(parts.ledger));
    parts.config.onApplied(() => {
      for (const runner of this.#runners.values()) runner.checkConfig();
    });
  }

  /** A stop or a pause was set or taken back: every turn looks for itself. */
  checkFlags(): void {
    for (const runner of this.#runners.values()) runner.checkFlags();
  }

  /** Told whenever a turn waits for people, has ended, or has halted. */
  onRest(resting: Resting): void {
    this.#resting.push(resting);
  }

  find(turn: string): TurnRunner | null {
    return this.#runners.get(turn) ?? null;
  }

  /** Begins a turn. Its first facts are recorded in one append with what follows at once. */
  async begin(dispatched: DispatchTurn): Promise<void> {
    const { turn, command, meta, listening, until } = dispatched;
    const log = new TurnLog(this.#parts, meta, turn);
    const decision = decide(command, log.state);
    if (decision.kind !== 'record') return;
    log.add(decision.facts);
    // Whoever waits for the beginning hears that there was none, and asks again.
    const again = until === 'nothing' ? (): Promise<void> => this.begin(dispatched) : null;
    const runner = this.#runner(log, { turn, listening, again });
    const work = this.#run(runner, 'new');
    if (meta.parent !== null) await this.#checkAbove(runner, meta.parent);
    if (until === 'end') await work;
    if (until === 'first-facts') await Promise.race([log.begun, work]);
  }

  /** Reads a turn that an earlier run of the daemon left open, so that others find it.
   * @returns lets it go on */
  async load(turn: string, events: readonly LockstepEvent[], meta: NewMeta): Promise<() => void> {
    const log = new TurnLog(this.#parts, meta, turn);
    await log.load(events);
    await log.loadTexts();
    const isStopped = meta.parent !== null && (await this.#parts.records.isStopped(meta.parent));
    if (this.#draining) return () => undefined;
    const runner = this.#runner(log, { turn, listening: false, again: null });
    return () => void this.#run(runner, isStopped ? 'stopped' : 'recovered');
  }

  /** Stops every turn below another one: resolves when that is recorded. */
  async stopBelow(turn: string, why: string): Promise<void> {
    const now = this.#parts.clock.now();
    const command = { type: 'Cancel', now, by: `turn:${turn}`, why } as const;
    await Promise.all(this.families.below(turn).map((runner) => runner.post(command)));
  }

  /** What hung above a turn may have been stopped while it began. */
  async #checkAbove(runner: TurnRunner, parent: string): Promise<void> {
    if (await this.#parts.records.isStopped(parent)) await runner.stop();
  }

  /** Begins nothing more. Resolves when every turn has ended, waits, or has come to a point from which it can be taken up. */
  async drain(): Promise<void> {
    this.#draining = true;
    for (const runner of this.#runners.values()) runner.drain();
    await Promise.all(this.#work);
  }

  #runner(
    log: TurnLog,
    of: { readonly turn: string; readonly listening: boolean; readonly again: Again },
  ): TurnRunner {
    const runner = new TurnRunner(this.#parts, log, {
      listening: of.listening,
      stopBelow: (why) => this.stopBelow(of.turn, why),
      timeUp: (above) => {
        const one = this.find(above);
        one?.checkTime();
        return one !== null;
      },
      isWaiting: (one) => this.families.isWaiting(one),
      onRest: (resting) => {
        if (resting.rest !== 'waiting') this.#runners.delete(of.turn);
        if (resting.rest === 'halted') this.#takeUpLater(of.turn, log.meta, of.again);
        for (const listener of this.#resting) listener(resting, of.turn);
      },
    });
    this.#runners.set(of.turn, runner);
    return runner;
  }

  /** A turn halts when the log takes no more events, as on a full disk. It goes on as after a restart, once there is room. */
  #takeUpLater(turn: string, meta: NewMeta, again: Again): void {
    if (this.#draining) return;
    this.#parts.alarms.at(this.#parts.clock.now() + retryMs, () => {
      this.#takeUp(turn, meta, again).catch((error: unknown) => {
        this.#parts.report({ turn, error });
        this.#takeUpLater(turn, meta, again);
      });
    });
  }

  async #takeUp(turn: string, meta: NewMeta, again: Again): Promise<void> {
    if (this.#draining) return;
    const events = await this.#parts.store.readStream(`turn-${turn}`);
    if (events.length > 0) (await this.load(turn, events, meta))();
    else await again?.();
  }

  #run(runner: TurnRunner, mode: RunMode): Promise<void> {
    const work = runner.run(mode).finally(() => this.#work.delete(work));
    this.#work.add(work);
    return work;
  }
}

/** Begins a turn of which nothing is recorded yet; null when something is. */
type Again = (() => Promise<void>) | null;
