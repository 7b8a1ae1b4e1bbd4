import { sortedSet, type Order } from './order.ts';

/** Names that grant: what both sides name. */
export const set: Order<string[]> = {
  name: 'set: intersection',
  bottom: [],
  normal: sortedSet,
  meet: (a, b) => sortedSet(a.filter((name) => b.includes(name))),
  within: (asked, held) => asked.every((name) => held.includes(name)),
};
