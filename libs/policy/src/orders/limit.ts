import type { Limit } from '../snapshot.ts';
import type { Order } from './order.ts';

const least = (a: Limit, b: Limit): Limit => {
  if (a === 'unlimited') return b;
  return b === 'unlimited' ? a : Math.min(a, b);
};

/** A cap in its own unit, or no cap: the smaller one holds. */
export const limit: Order<Limit> = {
  name: 'number or unlimited, smaller is narrower',
  bottom: 0,
  normal: (value) => value,
  meet: least,
  within: (asked, held) => least(asked, held) === asked,
};

/** A plain number where smaller is narrower, not below `lowest`. */
export const atMost = (lowest: number): Order<number> => ({
  name: 'number, smaller is narrower',
  bottom: lowest,
  normal: (value) => value,
  meet: (a, b) => Math.min(a, b),
  within: (asked, held) => asked <= held,
});

/** A plain number where larger is narrower, not above `highest`. */
export const atLeast = (highest: number): Order<number> => ({
  name: 'number, larger is narrower',
  bottom: highest,
  normal: (value) => value,
  meet: (a, b) => Math.max(a, b),
  within: (asked, held) => asked >= held,
});
