import type { PricesMicro } from '@lockstep/policy';
import type { Usage } from '../events/parts.ts';

/** Micro-dollars, or unknown: never taken for zero. */
export type Cost = number | 'unknown';

/** What a usage costs in whole micro-dollars, rounded up. Cached input tokens are a part of the input tokens. A price that is not
 * known stays unknown. */
export const priceOf = (prices: PricesMicro, usage: Usage): Cost => {
  switch (prices.kind) {
    case 'free':
      return 0;
    case 'unknown':
      return 'unknown';
    case 'priced': {
      const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
      const parts =
        BigInt(usage.inputTokens - cached) * BigInt(prices.input) +
        BigInt(cached) * BigInt(prices.cachedInput) +
        BigInt(usage.outputTokens) * BigInt(prices.output);
      const micro = (parts + 999_999n) / 1_000_000n;
      return micro > maximum ? Number.MAX_SAFE_INTEGER : Number(micro);
    }
  }
};

const maximum = BigInt(Number.MAX_SAFE_INTEGER);

/** The sum of two costs, unknown as soon as one of them is. */
export const addCost = (a: Cost, b: Cost): Cost =>
  a === 'unknown' || b === 'unknown' ? 'unknown' : a + b;
