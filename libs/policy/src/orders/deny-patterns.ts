import { sortedSet, type Order } from './order.ts';

/** Patterns that take away: both sides' count. Asking for more of them is never asking for more. */
export const denyPatterns = (everything: readonly string[]): Order<string[]> => ({
  name: 'deny patterns: union',
  bottom: [...everything],
  normal: (value) => normalDeny(value, everything),
  meet: (a, b) => normalDeny([...a, ...b], everything),
  within: () => true,
});

const normalDeny = (value: readonly string[], everything: readonly string[]): string[] =>
  everything.length > 0 && everything.every((pattern) => value.includes(pattern))
    ? [...everything]
    : sortedSet(value);
