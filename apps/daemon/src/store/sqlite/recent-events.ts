import { matchesFilter, numberOf, type EventFilter, type LockstepEvent } from '@lockstep/engine';

/** The newest acknowledged events, so that live subscribers need no disk. Bounded in number and size. */
export interface RecentEvents {
  add(events: readonly LockstepEvent[], bytes: number): void;
  /** Matching events after a position, or null when they are not all held here. */
  after(
    position: number,
    filter: EventFilter | undefined,
    limit: number,
  ): readonly LockstepEvent[] | null;
}

interface Batch {
  readonly events: readonly LockstepEvent[];
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
}

export const recentEvents = (limits: { readonly events: number; readonly bytes: number }) => {
  const batches: Batch[] = [];
  let count = 0;
  let bytes = 0;
  const trim = (): void => {
    while (count > limits.events || bytes > limits.bytes) {
      const oldest = batches.shift();
      if (oldest === undefined) return;
      count -= oldest.events.length;
      bytes -= oldest.bytes;
    }
  };
  const recent: RecentEvents = {
    add: (events, size) => {
      const first = events[0];
      const last = events.at(-1);
      if (first === undefined || last === undefined) return;
      batches.push({
        events,
        first: numberOf(first.position),
        last: numberOf(last.position),
        bytes: size,
      });
      count += events.length;
      bytes += size;
      trim();
    },
    after: (position, filter, limit) => {
      const oldest = batches[0];
      if (oldest === undefined || position < oldest.first - 1) return null;
      const found: LockstepEvent[] = [];
      for (let b = firstAfter(batches, position); b < batches.length; b++)
        for (const event of batches[b]?.events ?? []) {
          if (numberOf(event.position) <= position || !matchesFilter(filter, event)) continue;
          found.push(event);
          if (found.length >= limit) return found;
        }
      return found;
    },
  };
  return recent;
};

const firstAfter = (batches: readonly Batch[], position: number): number => {
  let low = 0;
  let high = batches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((batches[middle]?.last ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
};
