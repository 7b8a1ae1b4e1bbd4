import {
  numberOf,
  positionOf,
  subscription,
  type AppendResult,
  type Clock,
  type EventStore,
  type LockstepEvent,
  type Position,
  type ReadAllOptions,
  type ReadAllResult,
} from '@lockstep/engine';
import { revisionOf, wireAppend, type Append } from '../sqlite/wire-append.ts';
import { acknowledged, sendAppend, type AppenderParts } from './appender.ts';
import { readOneStream, readPage } from './history.ts';
import type { Ownership } from './ownership.ts';

export interface EventStoreParts extends AppenderParts {
  readonly ownership: Ownership;
  readonly clock: Clock;
  readonly generation: string;
  /** Why nothing is written any more; null = it is. */
  readonly failure: () => string | null;
  /** Gives back what stands below the store. */
  readonly release: () => Promise<void>;
}

/** Appends on their way at once; more wait. */
const inFlightLimit = 256;
const pageSize = 512;
const unlimited = 1_000_000_000;

/** The port over one log of a cluster: written to its leader, read back through `$all`, bounded by what was folded. */
export const clusterEventStore = (parts: EventStoreParts): EventStore => {
  const store = new ClusterStore(parts);
  const { log } = parts;
  return {
    append: (stream, events, expected) => store.append({ stream, events, expected }),
    readStream: (stream, { from = 0, limit = unlimited } = {}) =>
      readOneStream(parts, stream, { from, limit: Math.min(limit, unlimited) }),
    readAll: (options) => store.readAll(options),
    subscribe: ({ after, filter }) =>
      subscription({
        after,
        page: (from) =>
          store.readAll({
            after: from,
            limit: pageSize,
            ...(filter === undefined ? {} : { filter }),
          }),
        hasMore: (from) => log.head > numberOf(from),
        onWake: (wake) => log.onWake(wake),
        closed: () => store.closed,
      }),
    head: () => Promise.resolve(placeName(log.head)),
    generation: parts.generation,
    close: () => store.close(),
  };
};

const placeName = (position: number): Position | 'start' =>
  position === 0 ? 'start' : positionOf(position);

class ClusterStore {
  readonly #parts: EventStoreParts;
  /** By the ids that it holds, so that the same batch is not on its way twice. */
  readonly #busy = new Map<string, Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  #closing: Promise<void> | null = null;

  constructor(parts: EventStoreParts) {
    this.#parts = parts;
  }

  get closed(): boolean {
    return this.#closing !== null;
  }

  async append(append: Append): Promise<AppendResult> {
    const refusal = this.#refusal();
    if (refusal !== null) return { ok: false, reason: 'unavailable', message: refusal };
    const wire = wireAppend(append, this.#parts.clock.now());
    if (!wire.ok) return wire.result;
    await this.#room();
    try {
      for (let other = this.#sameIds(append); other !== undefined; other = this.#sameIds(append))
        await other;
      return await (this.#known(append) ?? this.#send(append, wire.append.now));
    } finally {
      this.#inFlight -= 1;
      this.#waiting.shift()?.();
    }
  }

  async readAll({ after, limit, filter }: ReadAllOptions): Promise<ReadAllResult> {
    const { log } = this.#parts;
    const from = numberOf(after);
    const upTo = log.head;
    const recent = log.recent.after(from, filter, limit);
    const events = recent ?? (await readPage(this.#parts, { after: from, upTo, limit, filter }));
    const last = events.at(-1);
    const next = events.length < limit || last === undefined ? upTo : numberOf(last.position);
    const at = Math.max(next, from);
    return { events, next: placeName(at), end: at >= log.head };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#parts.log.wakeAll();
    await Promise.allSettled([...this.#busy.values()]);
    await this.#parts.release();
  }

  #refusal(): string | null {
    if (this.closed) return 'the event log is closed';
    return this.#parts.failure() ?? this.#parts.ownership.lost;
  }

  async #room(): Promise<void> {
    if (this.#inFlight >= inFlightLimit)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inFlight += 1;
  }

  #sameIds({ events }: Append): Promise<unknown> | undefined {
    for (const { id } of events) {
      const other = this.#busy.get(id);
      if (other !== undefined) return other;
    }
    return undefined;
  }

  /** What can be answered from what was folded: a repeat, a part that is known, a revision that the stream has passed. */
  #known(append: Append): Promise<AppendResult> | AppendResult | null {
    const { log } = this.#parts;
    const { stream, events, expected } = append;
    const actual = log.lastRevision(stream);
    const places = events.map(({ id }) => log.place(id));
    const first = places[0];
    const whole =
      first != null &&
      places.every((place, i) => place?.stream === stream && place.revision === first.revision + i);
    if (whole) return this.#repeat(stream, first.revision, events.length);
    const twin = new Set(events.map(({ id }) => id)).size < events.length;
    const passed = actual > (expected === 'no-stream' ? -1 : expected);
    if (!twin && !passed && places.every((place) => place === null)) return null;
    return { ok: false, reason: 'conflict', expected, actual: revisionOf(actual) };
  }

  async #repeat(stream: string, from: number, limit: number): Promise<AppendResult> {
    const events: readonly LockstepEvent[] = await readOneStream(this.#parts, stream, {
      from,
      limit,
    });
    return acknowledged(events, true);
  }

  async #send(append: Append, now: number): Promise<AppendResult> {
    const sending = sendAppend(this.#parts, append, now);
    for (const { id } of append.events) this.#busy.set(id, sending);
    try {
      return await sending;
    } finally {
      for (const { id } of append.events) this.#busy.delete(id);
    }
  }
}
