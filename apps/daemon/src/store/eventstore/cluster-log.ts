import {
  foldLedger,
  freezeLedger,
  ledgerOf,
  ledgerTypes,
  stampedEvent,
  takeChanges,
  type Ledger,
  type LedgerState,
  type LockstepEvent,
  type NewEvent,
} from '@lockstep/engine';
import { recentEvents } from '../sqlite/recent-events.ts';
import {
  applyStamps,
  stampBatch,
  type AgentStamp,
  type Stamp,
  type StampState,
} from '../sqlite/stamps.ts';
import { eventOf, metadataOf, type Recorded } from './wire-event.ts';
import type { Place, PlaceIndex } from './place-index.ts';

/** A record of `$all`. */
export type AllRecord = Recorded & {
  readonly position: { readonly commit: bigint; readonly prepare: bigint };
};

/** An append that is on its way: what it becomes is heard from `$all`, not from its acknowledgement. */
export interface PendingAppend {
  readonly stream: string;
  readonly events: ReadonlyMap<string, NewEvent>;
  /** All of its events, once the last one was folded. */
  readonly seen: (events: readonly LockstepEvent[]) => void;
}

/** Places that make a checkpoint due at once, and after a pause. */
const dueAt = 2_000;
const idleMs = 1_000;

/** What of the log this daemon has seen in `$all`, in order: it counts the positions, folds the ledger, and only then tells anybody.
 * Everything is a function of the order of `$all`, so every daemon that reads it counts the same. */
export class ClusterLog {
  readonly #index: PlaceIndex;
  readonly #prefix: string;
  readonly #state: LedgerState;
  readonly #stamps: StampState;
  readonly #changedAgents = new Map<string, AgentStamp>();
  readonly #recent = recentEvents({ events: 4_096, bytes: 8 * 1024 * 1024 });
  readonly #wakes = new Set<() => void>();
  readonly #pending = new Map<string, PendingAppend>();
  readonly #gathered = new Map<PendingAppend, LockstepEvent[]>();
  readonly #expecting = new Map<string, Set<() => void>>();
  readonly ledger: Ledger;
  #last: Pick<Place, 'commit' | 'prepare'> | null;
  #timer: NodeJS.Timeout | null = null;
  #waking = false;
  #ledgerLost = false;
  /** Whether the events are near enough to now to be kept in memory. */
  live = false;

  constructor(index: PlaceIndex, prefix: string) {
    const { stamps, ledger } = index.load();
    this.#index = index;
    this.#prefix = prefix;
    this.#stamps = stamps;
    this.#state = ledger;
    this.ledger = ledgerOf(ledger);
    this.#last = index.last;
  }

  get head(): number {
    return this.#stamps.position;
  }

  /** Where `$all` is to be read on from; null = from its start. */
  get last(): Pick<Place, 'commit' | 'prepare'> | null {
    return this.#last;
  }

  get recent(): Pick<ReturnType<typeof recentEvents>, 'after'> {
    return this.#recent;
  }

  place(id: string): Place | null {
    return this.#index.byId(id);
  }

  at(position: number): Place | null {
    return this.#index.at(position);
  }

  lastRevision(stream: string): number {
    return this.#index.lastRevision(stream);
  }

  /** The append on its way that an event belongs to. */
  pendingOf(id: string): PendingAppend | undefined {
    return this.#pending.get(id);
  }

  expect(pending: PendingAppend): void {
    for (const id of pending.events.keys()) this.#pending.set(id, pending);
  }

  forget(pending: PendingAppend): void {
    for (const id of pending.events.keys()) this.#pending.delete(id);
    this.#gathered.delete(pending);
  }

  onWake(wake: () => void): () => void {
    this.#wakes.add(wake);
    return () => this.#wakes.delete(wake);
  }

  wakeAll(): void {
    for (const wake of [...this.#wakes]) wake();
  }

  /** Resolves when an event was folded: at once, when it was before. */
  known(id: string): Promise<void> {
    if (this.#index.byId(id) !== null) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#expecting.get(id) ?? new Set();
      this.#expecting.set(id, waiting.add(resolve));
    });
  }

  /** Takes the next record of `$all`; one that was delivered before is passed over.
   * @throws StoreError `store_damaged` when it is no event of ours */
  take(record: AllRecord): void {
    const { commit, prepare } = record.position;
    if (this.#last !== null && !isAfter(record.position, this.#last)) return;
    const stream = record.streamId.slice(this.#prefix.length);
    const metadata = metadataOf(record);
    const stamp = this.#stamp(record, metadata.meta['agent'], metadata.time);
    const pending = this.#pending.get(record.id);
    const own = pending?.stream === stream ? pending.events.get(record.id) : undefined;
    const event =
      own === undefined ? this.#foreign(record, stream, stamp) : stampedEvent(own, stream, stamp);
    this.#last = { commit, prepare };
    this.#index.add({ ...stamp, id: record.id, stream, commit, prepare });
    if (event !== null) this.#fold(event);
    if (own !== undefined && pending !== undefined && event !== null) this.#gather(pending, event);
    for (const resolve of this.#expecting.get(record.id) ?? []) resolve();
    this.#expecting.delete(record.id);
    this.#wakeSoon();
    this.#checkpointSoon();
  }

  /** Writes the checkpoint. What cannot be written now is written with the next one. */
  checkpoint(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const changes = takeChanges(this.#state);
    const full = this.#ledgerLost;
    try {
      this.#index.flush({
        agents: this.#changedAgents,
        ledger: { full, rows: full ? freezeLedger(this.#state) : changes },
      });
      this.#changedAgents.clear();
      this.#ledgerLost = false;
    } catch {
      // The checkpoint only saves a later start some reading. What changed is gone from the list, so the next one holds everything.
      this.#ledgerLost = true;
    }
  }

  /** Counts the record in. */
  #stamp(record: Recorded, agent: unknown, now: number): Stamp {
    const raises = record.type === 'OwnershipTaken' ? record.data : null;
    const batch = stampBatch(
      this.#stamps,
      [{ agent: typeof agent === 'string' ? agent : null, raisesTo: epochOf(raises) }],
      { firstRevision: Number(record.revision), now },
    );
    applyStamps(this.#stamps, batch);
    for (const [name, stamp] of batch.agents) this.#changedAgents.set(name, stamp);
    const [stamp] = batch.stamps;
    if (stamp === undefined) throw new TypeError('one event has one stamp');
    return stamp;
  }

  /** An event that this process did not just send. While the log is far behind, only what the ledger folds is read. */
  #foreign(record: Recorded, stream: string, stamp: Stamp): LockstepEvent | null {
    if (!this.live && !folded.has(record.type)) return null;
    return eventOf(record, stream, metadataOf(record), stamp);
  }

  #fold(event: LockstepEvent): void {
    foldLedger(this.#state, event);
    if (this.live) this.#recent.add([event], JSON.stringify(event.data).length + metaBytes);
  }

  #gather(pending: PendingAppend, event: LockstepEvent): void {
    const events = this.#gathered.get(pending) ?? [];
    events.push(event);
    this.#gathered.set(pending, events);
    if (events.length < pending.events.size) return;
    this.forget(pending);
    pending.seen(events);
  }

  #wakeSoon(): void {
    if (this.#waking) return;
    this.#waking = true;
    queueMicrotask(() => {
      this.#waking = false;
      this.wakeAll();
    });
  }

  #checkpointSoon(): void {
    if (this.#index.young >= dueAt) {
      if (this.#index.young % dueAt === 0) this.checkpoint();
    } else
      this.#timer ??= setTimeout(() => {
        this.checkpoint();
      }, idleMs).unref();
  }
}

const folded: ReadonlySet<string> = new Set(ledgerTypes);

/** What meta takes about, for the bound on what is kept in memory. */
const metaBytes = 500;

const epochOf = (data: unknown): number => {
  const epoch = typeof data === 'object' && data !== null && 'epoch' in data ? data.epoch : 0;
  return typeof epoch === 'number' ? epoch : 0;
};

const isAfter = (
  one: Pick<Place, 'commit' | 'prepare'>,
  other: Pick<Place, 'commit' | 'prepare'>,
): boolean =>
  one.commit > other.commit || (one.commit === other.commit && one.prepare > other.prepare);
