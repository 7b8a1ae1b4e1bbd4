import { setTimeout as delay } from 'node:timers/promises';

/** How long the store waits, in ms. */
export interface Timings {
  /** For one answer. */
  readonly call: number;
  /** For a read, with all its tries. */
  readonly total: number;
  /** For an append, with all its tries. */
  readonly append: number;
  /** For an acknowledged event to show in `$all`, before the subscription is taken for dead. */
  readonly show: number;
  /** First pause before a new try; each next one is twice as long. */
  readonly firstPause: number;
  readonly longestPause: number;
  /** Between two renewals of the claim on the log; a claim that is not renewed for three of them is dead. */
  readonly renew: number;
}

export const defaultTimings: Timings = {
  call: 5_000,
  total: 30_000,
  append: 30_000,
  show: 3_000,
  firstPause: 50,
  longestPause: 2_000,
  renew: 5_000,
};

export const pauseBefore = (attempt: number, { firstPause, longestPause }: Timings): number =>
  Math.min(longestPause, firstPause * 2 ** Math.min(attempt, 16));

/** The outcome of a promise, or `late`, when it takes too long. The promise goes on and is heard to its end. */
export const within = async <T>(promise: Promise<T>, ms: number): Promise<T | 'late'> => {
  const stop = new AbortController();
  promise.catch(() => undefined);
  try {
    return await Promise.race([
      promise,
      delay(ms, 'late' as const, { signal: stop.signal }).catch(() => 'late' as const),
    ]);
  } finally {
    stop.abort();
  }
};
