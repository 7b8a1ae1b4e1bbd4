import type { Order } from './order.ts';

/** Named steps from narrow to wide; two values meet in the narrower one. */
export const chain = <const T extends string>(steps: readonly [T, ...T[]]): Order<T> => {
  const rank = (value: T): number => steps.indexOf(value);
  return {
    name: `chain: ${steps.join(' < ')}`,
    bottom: steps[0],
    normal: (value) => value,
    meet: (a, b) => (rank(a) <= rank(b) ? a : b),
    within: (asked, held) => rank(asked) <= rank(held),
  };
};
