import { canonicalJson } from '../canonical.ts';

/** How two values of a setting meet. The laws: `meet` is idempotent, commutative and associative, and its result is never wider
 * than either side. Two values are equal when the canonical bytes of their normal forms are. */
export interface Order<T> {
  /** As docs and the console name it. */
  readonly name: string;
  /** The narrowest value there is. */
  readonly bottom: T;
  /** Never met between agents: a narrowing may only name what `within` admits, and another agent's value does not count. */
  readonly own?: true;
  /** One spelling for equal values. */
  normal(value: T): T;
  /** What both sides grant. */
  meet(a: T, b: T): T;
  /** Whether a caller that holds `held` may ask for `asked`: it grants nothing more. */
  within(asked: T, held: T): boolean;
}

/** Equality of values: by canonical bytes. */
export const sameValue = (a: unknown, b: unknown): boolean =>
  a === b || canonicalJson(a) === canonicalJson(b);

/** Whether `a` grants nothing that `b` does not. */
export const isAtMost = <T>(order: Order<T>, a: T, b: T): boolean =>
  sameValue(order.meet(a, b), order.normal(a));

/** Code unit order, the same on every machine. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sorted, each once. */
export const sortedSet = <T extends string>(values: readonly T[]): T[] =>
  [...new Set(values)].sort(byText);
