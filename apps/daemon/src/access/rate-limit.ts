/** How often each key may act. Keeps one small entry a key, and forgets keys that are full again. */
export interface RateLimit {
  /** Ms until the next call is let through; 0 = this one is. */
  take(key: string, now: number): number;
}

const forgetAbove = 10_000;

/** A bucket that holds `perMinute` calls and fills evenly. */
export const createRateLimit = (perMinute: () => number): RateLimit => {
  const buckets = new Map<string, { left: number; at: number }>();
  const forget = (now: number, cap: number): void => {
    for (const [key, bucket] of buckets)
      if (bucket.left + ((now - bucket.at) * cap) / 60_000 >= cap) buckets.delete(key);
    // Every key is still in use: the oldest go, which can only be kind to them.
    for (const key of buckets.keys()) {
      if (buckets.size <= forgetAbove) return;
      buckets.delete(key);
    }
  };
  return {
    take: (key, now) => {
      const cap = perMinute();
      const before = buckets.get(key) ?? { left: cap, at: now };
      // A corrected system clock may go back; that costs nobody anything.
      const passed = Math.max(0, now - before.at);
      const left = Math.min(cap, before.left + (passed * cap) / 60_000);
      if (left < 1) {
        buckets.set(key, { left, at: now });
        return Math.ceil(((1 - left) * 60_000) / cap);
      }
      buckets.set(key, { left: left - 1, at: now });
      if (buckets.size > forgetAbove) forget(now, cap);
      return 0;
    },
  };
};
