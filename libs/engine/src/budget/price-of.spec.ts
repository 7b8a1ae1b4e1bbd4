import { describe, expect, it } from 'vitest';
import type { PricesMicro } from '@lockstep/policy';
import { addCost, priceOf } from './price-of.ts';

const usage = (inputTokens: number, outputTokens: number, cachedInputTokens = 0) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens,
});
const priced: PricesMicro = {
  kind: 'priced',
  input: 3_000_000,
  output: 15_000_000,
  cachedInput: 300_000,
};

describe('given prices a million tokens', () => {
  it.each([
    ['input and output', usage(1_000, 100), 4_500],
    ['cached input at its own price', usage(1_000, 0, 1_000), 300],
    ['a part of the input cached', usage(1_000, 0, 400), 1_920],
    ['more cached than there was input', usage(10, 0, 99), 3],
    ['nothing', usage(0, 0), 0],
  ])('prices %s', (_what, used, micro) => {
    expect(priceOf(priced, used)).toBe(micro);
  });

  it('rounds up to a whole micro-dollar', () => {
    const cheap: PricesMicro = { kind: 'priced', input: 1, output: 0, cachedInput: 0 };
    expect([priceOf(cheap, usage(1, 0)), priceOf(cheap, usage(1_000_001, 0))]).toEqual([1, 2]);
  });

  it('stays exact where a product leaves the safe integers', () => {
    const dear: PricesMicro = {
      kind: 'priced',
      input: 9_007_199_254_740_991,
      output: 1,
      cachedInput: 0,
    };
    expect(priceOf(dear, usage(3, 1))).toBe(27_021_597_765);
    expect(priceOf(dear, usage(9_007_199_254_740_991, 0))).toBe(Number.MAX_SAFE_INTEGER);
  });
});

it('takes no price for unknown, not for free', () => {
  expect([
    priceOf({ kind: 'unknown' }, usage(1, 1)),
    priceOf({ kind: 'free' }, usage(1, 1)),
  ]).toEqual(['unknown', 0]);
});

it('has an unknown sum as soon as one part is unknown', () => {
  expect([addCost(1, 2), addCost('unknown', 2), addCost(1, 'unknown')]).toEqual([
    3,
    'unknown',
    'unknown',
  ]);
});
