import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  numberOf,
  positionOf,
  stampedEvent,
  subscription,
  type AppendResult,
  type Clock,
  type EventStore,
  type LockstepEvent,
  type Position,
  type ReadAllOptions,
  type ReadAllResult,
} from '@lockstep/engine';
import type Database from 'better-sqlite3';
import { appendQueue, type AppendQueue } from './append-queue.ts';
import { eventOfRow } from './event-row.ts';
import type { FolderLock } from './folder-lock.ts';
import type { LedgerKeeper } from './ledger-keeper.ts';
import { LogReader } from './log-reader.ts';
import { recentEvents } from './recent-events.ts';
import { revisionOf, wireAppend, type Append } from './wire-append.ts';
import { packAppends, unpackResults } from './wire-pack.ts';
import type { WireAppend, WireResult } from './wire.ts';
import type { WriterThread } from './writer-thread.ts';

export interface SqliteStoreParts {
  /** Read-only connection of this thread. */
  readonly db: Database.Database;
  readonly path: string;
  readonly writer: WriterThread;
  readonly keeper: LedgerKeeper;
  readonly clock: Clock;
  readonly lock: FolderLock;
}

/** Events per page of a subscription. */
const pageSize = 256;
const unlimited = 1_000_000_000;

/** The port over one SQLite file: written in the writer's thread, read here, bounded by what was acknowledged. */
export const sqliteEventStore = (parts: SqliteStoreParts): EventStore => {
  const log = new AcknowledgedLog(parts);
  return {
    append: (stream, events, expected) => log.append({ stream, events, expected }),
    readStream: (stream, { from = 0, limit = unlimited } = {}) =>
      Promise.resolve(log.readStream(stream, from, Math.min(limit, unlimited))),
    readAll: (options) => log.readAll(options),
    subscribe: ({ after, filter }) =>
      subscription({
        after,
        page: (from) =>
          log.readAll({
            after: from,
            limit: pageSize,
            ...(filter === undefined ? {} : { filter }),
          }),
        hasMore: (from) => log.head > numberOf(from),
        onWake: (wake) => log.onWake(wake),
        closed: () => log.closed,
      }),
    head: () => Promise.resolve(placeOf(log.head)),
    generation: parts.writer.generation,
    close: () => log.close(),
  };
};

const placeOf = (position: number): Position | 'start' =>
  position === 0 ? 'start' : positionOf(position);

/** What was acknowledged, and the way there. */
class AcknowledgedLog {
  readonly #parts: SqliteStoreParts;
  readonly #reader: LogReader;
  readonly #queue: AppendQueue;
  readonly #recent = recentEvents({ events: 4_096, bytes: 8 * 1024 * 1024 });
  readonly #wakes = new Set<() => void>();
  /** New events by their wire form, until their stamps come back. */
  readonly #inFlight = new Map<WireAppend, { readonly append: Append; readonly bytes: number }>();
  readonly #acknowledged = new Map<WireAppend, readonly LockstepEvent[]>();
  #closing: Promise<void> | null = null;
  head: number;

  constructor(parts: SqliteStoreParts) {
    this.#parts = parts;
    this.#reader = new LogReader(parts.db);
    this.head = parts.writer.position;
    this.#queue = appendQueue((appends) => this.#commit(appends));
  }

  get closed(): boolean {
    return this.#closing !== null;
  }

  onWake(wake: () => void): () => void {
    this.#wakes.add(wake);
    return () => this.#wakes.delete(wake);
  }

  async append(append: Append): Promise<AppendResult> {
    if (this.closed)
      return { ok: false, reason: 'unavailable', message: 'the event log is closed' };
    const wire = wireAppend(append, this.#parts.clock.now());
    if (!wire.ok) return wire.result;
    this.#inFlight.set(wire.append, { append, bytes: wire.bytes });
    const result = await this.#queue.add(wire.append);
    const events = this.#acknowledged.get(wire.append) ?? [];
    this.#acknowledged.delete(wire.append);
    return this.#answer(append, result, events);
  }

  readStream(stream: string, from: number, limit: number): readonly LockstepEvent[] {
    return this.#reader.stream(stream, from, { upTo: this.head, limit }).map(eventOfRow);
  }

  async readAll({ after, limit, filter }: ReadAllOptions): Promise<ReadAllResult> {
    const from = numberOf(after);
    const recent = this.#recent.after(from, filter, limit);
    if (recent !== null) return this.#page(recent, recent.length < limit ? this.head : null, from);
    const range = { after: from, upTo: this.head, limit };
    const { rows, next } = this.#reader.page(filter, range);
    const page = this.#page(rows.map(eventOfRow), next, from);
    // A reader of a long history must not keep the event loop for itself.
    await nextTurn();
    return page;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const wake of [...this.#wakes]) wake();
    await this.#queue.idle();
    await this.#parts.keeper.flush();
    // The writer last: the last connection that may write folds the write-ahead log into the file.
    this.#parts.db.close();
    await this.#parts.writer.close();
    this.#parts.lock.release();
  }

  #page(events: readonly LockstepEvent[], next: number | null, from: number): ReadAllResult {
    const last = events.at(-1);
    const at = next ?? (last === undefined ? from : numberOf(last.position));
    return { events, next: placeOf(Math.max(at, from)), end: at >= this.head };
  }

  async #commit(appends: readonly WireAppend[]): Promise<readonly WireResult[]> {
    const reply = await this.#parts.writer.request({
      kind: 'appends',
      appends: packAppends(appends),
    });
    const results =
      reply?.kind === 'appended'
        ? unpackResults(reply.results)
        : appends.map((): WireResult => ({ kind: 'unavailable', code: 'WRITER_GONE' }));
    for (const [i, append] of appends.entries()) this.#acknowledge(append, results[i]);
    this.#parts.keeper.acknowledged(this.head);
    for (const wake of [...this.#wakes]) wake();
    return results;
  }

  /** The ledger is folded before anybody hears of the events. */
  #acknowledge(wire: WireAppend, result: WireResult | undefined): void {
    const sent = this.#inFlight.get(wire);
    this.#inFlight.delete(wire);
    if (result?.kind !== 'written' || sent === undefined) return;
    const events = sent.append.events.flatMap((event, i) => {
      const stamp = result.stamps[i];
      return stamp === undefined ? [] : [stampedEvent(event, wire.stream, stamp)];
    });
    for (const event of events) this.#parts.keeper.fold(event);
    this.#recent.add(events, sent.bytes);
    this.#acknowledged.set(wire, events);
    this.head = numberOf(events.at(-1)?.position ?? 'start');
  }

  #answer(append: Append, result: WireResult, written: readonly LockstepEvent[]): AppendResult {
    switch (result.kind) {
      case 'written':
        return acknowledged(written, false);
      case 'repeat':
        return acknowledged(
          this.readStream(append.stream, result.firstRevision, append.events.length),
          true,
        );
      case 'conflict':
        return {
          ok: false,
          reason: 'conflict',
          expected: append.expected,
          actual: revisionOf(result.actual),
        };
      case 'unavailable':
        return { ok: false, reason: 'unavailable', message: unavailable(result.code) };
    }
  }
}

const acknowledged = (events: readonly LockstepEvent[], repeat: boolean): AppendResult => {
  const last = events.at(-1);
  if (last === undefined) throw new TypeError('an append holds at least one event');
  return { ok: true, revision: last.revision, position: last.position, repeat, events };
};

const unavailable = (code: string): string => {
  if (code === 'SQLITE_FULL') return 'the disk of the event log is full, free some space';
  if (code.startsWith('SQLITE_READONLY'))
    return 'the event log is read-only, check the permissions of the data folder';
  if (code === 'WRITER_GONE') return 'the writer of the event log has stopped, restart the daemon';
  return `the event log cannot be written now (${code}), check the disk of the data folder`;
};
