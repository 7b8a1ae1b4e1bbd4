import { describe, expect, it } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

describe('given two calls a minute', () => {
  it('lets two through at once and one more each half minute', () => {
    const limit = createRateLimit(() => 2);
    expect([limit.take('a', 0), limit.take('a', 0)]).toEqual([0, 0]);
    expect(limit.take('a', 15_000)).toBe(15_000);
    expect(limit.take('a', 30_000)).toBe(0);
    expect(limit.take('a', 30_000)).toBe(30_000);
  });

  it('counts each key for itself', () => {
    const limit = createRateLimit(() => 1);
    expect([limit.take('a', 0), limit.take('b', 0)]).toEqual([0, 0]);
  });

  it('takes nothing away when the clock is set back', () => {
    const limit = createRateLimit(() => 2);
    expect(limit.take('a', 1_000_000)).toBe(0);
    expect(limit.take('a', 0)).toBe(0);
  });

  it('follows a changed limit', () => {
    let cap = 1;
    const limit = createRateLimit(() => cap);
    expect([limit.take('a', 0), limit.take('a', 0) > 0]).toEqual([0, true]);
    cap = 60;
    expect(limit.take('a', 1000)).toBe(0);
  });
});
