import type { BacktestReport, Clock, Ids } from '@lockstep/engine';
import type { BacktestOutcome, BacktestWatch } from './run-backtest.ts';

/** How a backtest stands. */
export interface BacktestState {
  readonly id: string;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly progress: { readonly done: number; readonly all: number };
  readonly report: BacktestReport | null;
  readonly error: string | null;
}

/** Work that judges turns and may be watched and stopped. */
export type BacktestWork = (
  watch: Required<Pick<BacktestWatch, 'onProgress' | 'signal'>>,
) => Promise<BacktestOutcome>;

export type StartedBacktest =
  | { readonly kind: 'started'; readonly id: string }
  | { readonly kind: 'busy'; readonly why: string };

/** How many backtests run, and how many are kept. */
export interface BacktestBounds {
  /** At once, of all callers together; each caller has one. */
  readonly running: number;
  /** Ended ones: the oldest goes first. */
  readonly kept: number;
}

interface Entry {
  readonly owner: string;
  readonly stop: AbortController;
  readonly listeners: Set<() => void>;
  now: BacktestState;
}

/** Backtests of this run of the daemon. They are kept in memory alone: nothing is recorded. Only who started one sees it. */
export class Backtests {
  readonly #parts: { readonly ids: Ids; readonly clock: Clock };
  readonly #bounds: BacktestBounds;
  readonly #entries = new Map<string, Entry>();
  readonly #working = new Set<Promise<void>>();
  #closed = false;

  constructor(
    parts: { readonly ids: Ids; readonly clock: Clock },
    bounds: BacktestBounds = { running: 2, kept: 20 },
  ) {
    this.#parts = parts;
    this.#bounds = bounds;
  }

  /** @param owner the token that asks */
  start(owner: string, work: BacktestWork): StartedBacktest {
    const running = [...this.#entries.values()].filter(({ now }) => now.state === 'running');
    const own = running.find((entry) => entry.owner === owner);
    if (own !== undefined)
      return {
        kind: 'busy',
        why: `your backtest \`${own.now.id}\` still runs: wait for it or cancel it`,
      };
    if (this.#closed || running.length >= this.#bounds.running)
      return { kind: 'busy', why: 'other backtests run now: try again when they have ended' };
    const { ids, clock } = this.#parts;
    const id = ids.next();
    const entry: Entry = {
      owner,
      stop: new AbortController(),
      listeners: new Set(),
      now: {
        id,
        state: 'running',
        startedAt: clock.now(),
        progress: { done: 0, all: 0 },
        report: null,
        error: null,
      },
    };
    this.#entries.set(id, entry);
    const working = this.#work(entry, work).finally(() => this.#working.delete(working));
    this.#working.add(working);
    return { kind: 'started', id };
  }

  /** Null when there is none of that id, or it is somebody else's. */
  find(owner: string, id: string): BacktestState | null {
    return this.#own(owner, id)?.now ?? null;
  }

  /** Stops it if it runs. Answers how it stands then; null as in `find`. */
  cancel(owner: string, id: string): BacktestState | null {
    const entry = this.#own(owner, id);
    if (entry?.now.state === 'running') {
      entry.stop.abort();
      this.#change(entry, { state: 'cancelled' });
    }
    return entry?.now ?? null;
  }

  /** How it stands, again after each change, until it has ended or the signal is aborted. A slow reader misses what lies between. */
  async *follow(owner: string, id: string, signal: AbortSignal): AsyncGenerator<BacktestState> {
    const entry = this.#own(owner, id);
    if (entry === null) return;
    for (;;) {
      const seen = entry.now;
      yield seen;
      if (seen.state !== 'running' || signal.aborted) return;
      if (entry.now === seen) await changeOf(entry, signal);
    }
  }

  /** Stops all of them; resolves when their threads have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { owner, now } of this.#entries.values()) this.cancel(owner, now.id);
    await Promise.all(this.#working);
  }

  #own(owner: string, id: string): Entry | null {
    const entry = this.#entries.get(id);
    return entry?.owner === owner ? entry : null;
  }

  async #work(entry: Entry, work: BacktestWork): Promise<void> {
    const onProgress = (progress: BacktestState['progress']): void => {
      this.#change(entry, { progress });
    };
    try {
      const outcome = await work({ onProgress, signal: entry.stop.signal });
      this.#change(
        entry,
        outcome.kind === 'done'
          ? { state: 'done', report: outcome.report }
          : { state: 'cancelled' },
      );
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#change(entry, { state: 'failed', error: message });
    }
  }

  /** What has ended stays as it is. */
  #change(entry: Entry, change: Partial<BacktestState>): void {
    if (entry.now.state !== 'running') return;
    entry.now = { ...entry.now, ...change };
    if (entry.now.state !== 'running') this.#forget();
    for (const changed of [...entry.listeners]) changed();
  }

  #forget(): void {
    const ended = [...this.#entries.values()].filter(({ now }) => now.state !== 'running');
    for (const { now } of ended.slice(0, Math.max(0, ended.length - this.#bounds.kept)))
      this.#entries.delete(now.id);
  }
}

const changeOf = ({ listeners }: Entry, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      listeners.delete(done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    listeners.add(done);
    signal.addEventListener('abort', done);
  });
