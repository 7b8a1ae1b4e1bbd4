/** One event as the server keeps it. */
export interface Kept {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  /** Byte-like offset in the log: it grows, and not by one. */
  readonly position: bigint;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  /** Ms since the epoch. */
  readonly created: number;
}

export type Proposed = Pick<Kept, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

/** What an append expects of its stream; a number is the revision of its last event. */
export type Expected = number | 'none' | 'any' | 'exists';

export type Appended =
  | { readonly kind: 'written'; readonly revision: number; readonly position: bigint }
  | { readonly kind: 'wrong'; readonly current: number | null }
  | { readonly kind: 'deleted' };

/** The log of a cluster: every node of it reads and writes this one, as if replication took no time. */
export class MemoryLog {
  readonly all: Kept[] = [];
  readonly #streams = new Map<string, Kept[]>();
  readonly #tombstones = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #next = 0n;

  stream(name: string): readonly Kept[] {
    return this.#streams.get(name) ?? [];
  }

  isDeleted(name: string): boolean {
    return this.#tombstones.has(name);
  }

  /** Checks the expected revision and writes all of the batch or nothing. The same batch at the same place again is answered as it was
   * the first time. */
  append(stream: string, expected: Expected, batch: readonly Proposed[]): Appended {
    if (this.#tombstones.has(stream)) return { kind: 'deleted' };
    const kept = this.#streams.get(stream) ?? [];
    const again = repeatOf(kept, expected, batch);
    if (again !== null) return written(again);
    const current = kept.length - 1;
    if (!fits(current, expected)) return { kind: 'wrong', current: current < 0 ? null : current };
    const events = batch.map((event, i) => this.#keep(stream, current + 1 + i, event));
    kept.push(...events);
    this.all.push(...events);
    this.#streams.set(stream, kept);
    for (const listener of [...this.#listeners]) listener();
    const last = events.at(-1);
    return last === undefined
      ? { kind: 'written', revision: current, position: this.#next }
      : written(last);
  }

  tombstone(stream: string): bigint {
    this.#tombstones.add(stream);
    return this.#next;
  }

  /** Index of the first event after a position. */
  after(position: bigint): number {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.all[middle]?.position ?? 0n) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  onAppend(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #keep(stream: string, revision: number, event: Proposed): Kept {
    const position = this.#next;
    this.#next += BigInt(200 + event.data.length + event.metadata.length);
    return { ...event, stream, revision, position, created: Date.now() };
  }
}

const written = ({ revision, position }: Kept): Appended => ({
  kind: 'written',
  revision,
  position,
});

const fits = (current: number, expected: Expected): boolean => {
  switch (expected) {
    case 'any':
      return true;
    case 'none':
      return current < 0;
    case 'exists':
      return current >= 0;
    default:
      return current === expected;
  }
};

/** The last event of a batch that stands in the stream where it was meant to go. */
const repeatOf = (
  kept: readonly Kept[],
  expected: Expected,
  batch: readonly Proposed[],
): Kept | null => {
  const first = batch[0];
  if (first === undefined || expected === 'exists') return null;
  const from =
    expected === 'any'
      ? kept.findIndex(({ id }) => id === first.id)
      : (expected === 'none' ? -1 : expected) + 1;
  if (from < 0) return null;
  const same = batch.every(({ id }, i) => kept[from + i]?.id === id);
  return same ? (kept[from + batch.length - 1] ?? null) : null;
};
