import { expect, it } from 'vitest';
import { SeenDigests } from './seen-digests.ts';

it('knows the last digests, and no more of them however many there were', () => {
  const seen = new SeenDigests(3);
  for (let n = 0; n < 100; n += 1) seen.add(`d${n}`);
  expect(seen.size).toBe(3);
  expect(['d96', 'd97', 'd99'].map((digest) => seen.has(digest))).toEqual([false, true, true]);
});
