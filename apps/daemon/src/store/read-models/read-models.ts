import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import {
  numberOf,
  positionOf,
  type EventStore,
  type EventType,
  type KeyedProjection,
  type LockstepEvent,
  type Position,
  type Projection,
  type Subscription,
} from '@lockstep/engine';
import type Database from 'better-sqlite3';
import { storeError, sqliteCode } from '../store-error.ts';
import { keyedRunner } from './keyed-runner.ts';
import { openReadModelFile } from './read-model-file.ts';
import { rowTable, type RowPage, type RowQuery, type RowTable } from './row-table.ts';
import type { ProjectionFailure, Runner } from './runner.ts';
import { stateRunner, type StateRunner } from './state-runner.ts';

export interface ProjectionStatus {
  readonly name: string;
  readonly state: 'live' | 'catching_up' | 'failed';
  readonly position: Position | 'start';
  /** Positions between this projection and the end of the log. */
  readonly lag: number;
  readonly failure: ProjectionFailure | null;
}

export interface RebuildProgress {
  readonly position: number;
  readonly head: number;
}

/** The projections of one daemon, kept up to date from the log. Projections are named by the objects they are. */
export interface ReadModels {
  /** The state of a projection, as of what was folded. Not to be changed. */
  state<S>(projection: Projection<S>): S;
  row<Row>(projection: KeyedProjection<Row>, key: string): Row | null;
  rows<Row>(projection: KeyedProjection<Row>, query: RowQuery): RowPage<Row>;
  status(): Promise<readonly ProjectionStatus[]>;
  /** Resolves with true once everything up to a position is folded, with false when it was not in time. */
  waitFor(position: Position, timeoutMs: number): Promise<boolean>;
  /** Resolves when the history is folded; the read models then follow the log. */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

export interface ReadModelsOptions {
  readonly folder: string;
  readonly store: EventStore;
  readonly projections: readonly Projection<never>[] | readonly Projection<unknown>[];
  readonly keyed: readonly KeyedProjection<never>[] | readonly KeyedProjection<unknown>[];
  /** Called as the history is folded, at most once a page. */
  readonly onProgress?: (progress: RebuildProgress) => void;
}

export const readModelsPath = (folder: string): string => join(folder, 'read-models.db');

/** Opens the read models and starts to fold, each projection from its checkpoint. */
export const openReadModels = (options: ReadModelsOptions): ReadModels => {
  const path = readModelsPath(options.folder);
  try {
    return new RunningReadModels(openReadModelFile(path), options);
  } catch (error) {
    throw storeError(error, path);
  }
};

const pageSize = 512;
/** Pause before a batch that the disk refused is folded again. */
const retryMs = 1_000;

class RunningReadModels implements ReadModels {
  readonly #db: Database.Database;
  readonly #store: EventStore;
  readonly #options: ReadModelsOptions;
  readonly #states = new Map<string, StateRunner<unknown>>();
  readonly #runners: Runner[] = [];
  readonly #tables = new Map<string, RowTable<unknown>>();
  readonly #waiters = new Set<() => void>();
  readonly #stopping = new AbortController();
  readonly #history: Promise<void>;
  readonly #running: Promise<void>;
  #live: Subscription | null = null;
  #caughtUp = false;

  constructor(db: Database.Database, options: ReadModelsOptions) {
    this.#db = db;
    this.#store = options.store;
    this.#options = options;
    const { generation } = options.store;
    for (const projection of options.projections as readonly Projection<unknown>[]) {
      const runner = stateRunner(db, projection, generation);
      this.#states.set(projection.name, runner);
      this.#runners.push(runner);
    }
    for (const projection of options.keyed as readonly KeyedProjection<unknown>[])
      this.#runners.push(keyedRunner(db, projection, generation));
    const names = new Set(this.#runners.map(({ name }) => name));
    if (names.size < this.#runners.length)
      throw new TypeError('two projections have the same name');
    this.#history = this.#foldHistory();
    this.#running = this.#history.then(() => this.#followLog());
  }

  state<S>(projection: Projection<S>): S {
    const runner = this.#states.get(projection.name);
    if (runner === undefined)
      throw new TypeError(`\`${projection.name}\` is not among the projections`);
    return runner.state() as S;
  }

  row<Row>(projection: KeyedProjection<Row>, key: string): Row | null {
    return this.#table(projection.name).get(key) as Row | null;
  }

  rows<Row>(projection: KeyedProjection<Row>, query: RowQuery): RowPage<Row> {
    return this.#table(projection.name).list(query) as RowPage<Row>;
  }

  async status(): Promise<readonly ProjectionStatus[]> {
    const head = numberOf(await this.#store.head());
    return this.#runners.map(({ name, position, failure }) => ({
      name,
      state: failure !== null ? 'failed' : this.#caughtUp ? 'live' : 'catching_up',
      position: position === 0 ? 'start' : positionOf(position),
      lag: Math.max(0, head - position),
      failure,
    }));
  }

  async waitFor(position: Position, timeoutMs: number): Promise<boolean> {
    const wanted = numberOf(position);
    const late = AbortSignal.timeout(timeoutMs);
    while (this.#folded() < wanted) {
      if (late.aborted || this.#stopping.signal.aborted) return false;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiters.delete(wake);
          late.removeEventListener('abort', wake);
          resolve();
        };
        this.#waiters.add(wake);
        late.addEventListener('abort', wake);
      });
    }
    return true;
  }

  caughtUp(): Promise<void> {
    return this.#history;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#live?.return?.();
    await this.#running;
    this.#save(true);
    this.#wake();
    this.#db.close();
  }

  /** A reader's own view of the table: the runner makes it with its first row. */
  #table(name: string): RowTable<unknown> {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const table = rowTable<unknown>(this.#db, name);
    if (table.exists()) this.#tables.set(name, table);
    return table;
  }

  /** Position that every working projection has reached. */
  #folded(): number {
    const working = this.#runners.filter(({ failure }) => failure === null);
    return working.length === 0 ? Infinity : Math.min(...working.map((r) => r.position));
  }

  async #foldHistory(): Promise<void> {
    const types = wantedTypes(this.#options);
    const filter = types === null ? {} : { filter: { types } };
    for (let end = false; !end && !this.#stopping.signal.aborted;) {
      const from = this.#folded();
      if (from === Infinity) break;
      const after = from === 0 ? ('start' as const) : positionOf(from);
      const page = await this.#store.readAll({ after, limit: pageSize, ...filter });
      end = page.end;
      if (!this.#fold(page.events, numberOf(page.next))) {
        end = false;
        await this.#pause();
      }
      const head = numberOf(await this.#store.head());
      this.#options.onProgress?.({ position: Math.min(this.#folded(), head), head });
      await nextTurn();
    }
    this.#save(true);
    this.#caughtUp = true;
  }

  /** Gathers what arrives in one turn of the event loop into one transaction. */
  async #followLog(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const from = this.#folded();
      if (from === Infinity) return;
      this.#live = this.#store.subscribe({ after: from === 0 ? 'start' : positionOf(from) });
      const ended = await this.#drain(this.#live);
      if (ended) return;
      await this.#pause();
    }
  }

  /** True when the subscription ended, false when it must begin anew from the checkpoints. */
  async #drain(live: Subscription): Promise<boolean> {
    let batch: LockstepEvent[] = [];
    let flushing: NodeJS.Immediate | null = null;
    let ok = true;
    const flush = (): void => {
      flushing = null;
      const events = batch;
      batch = [];
      const last = events.at(-1);
      if (last === undefined || this.#fold(events, numberOf(last.position))) return;
      ok = false;
      void live.return?.();
    };
    try {
      for await (const message of live) {
        if (message.kind !== 'event') continue;
        batch.push(message.event);
        if (batch.length >= pageSize) flush();
        else flushing ??= setImmediate(flush);
      }
    } catch {
      ok = false;
    }
    if (flushing !== null) clearImmediate(flushing);
    flush();
    return ok;
  }

  #fold(events: readonly LockstepEvent[], upTo: number): boolean {
    for (const runner of this.#runners) runner.fold(events, upTo);
    const ok = this.#save(false);
    this.#wake();
    return ok;
  }

  #save(force: boolean): boolean {
    let ok = true;
    try {
      this.#db
        .transaction(() => {
          for (const runner of this.#runners) runner.save(force);
        })
        .immediate();
    } catch (error) {
      if (sqliteCode(error) === null) throw error;
      ok = false;
    }
    for (const runner of this.#runners) runner.saved(ok);
    return ok;
  }

  #wake(): void {
    for (const wake of [...this.#waiters]) wake();
  }

  async #pause(): Promise<void> {
    await pause(retryMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}

/** Types that any projection folds, or null when one folds all. */
const wantedTypes = ({ projections, keyed }: ReadModelsOptions): readonly EventType[] | null => {
  const all = [...projections, ...keyed].map(({ types }) => types);
  const listed = all.filter((types) => types !== 'all');
  return listed.length < all.length ? null : [...new Set(listed.flat())];
};
