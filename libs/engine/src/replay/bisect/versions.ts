import type { VerdictSeen } from '../counterfactual/report.ts';

/** What a version gives; null = it cannot be told. */
export type Asked = (at: number) => VerdictSeen | null;

/** Two neighbouring versions, by their place in the list, of which the second gives another verdict than the first. */
export interface Flip {
  readonly before: number;
  readonly after: number;
}

const isOther = (a: VerdictSeen | null, b: VerdictSeen): boolean =>
  a !== null && a.verdict !== b.verdict;

/** Where the verdict of `last` came up between an earlier version that gives another and it. Looks at few of them: where the verdict
 * flips more than once, it is one of the flips. Versions that cannot be told are passed over.
 * @param from place of an earlier version that gives another verdict */
export const searchFlip = (asked: Asked, from: number, last: number): Flip => {
  const wanted = asked(last);
  let [low, high] = [from, last];
  while (wanted !== null && high - low > 1) {
    const middle = nearest(asked, low, high);
    if (middle === null) break;
    if (isOther(asked(middle), wanted)) low = middle;
    else high = middle;
  }
  return { before: low, after: high };
};

/** The place nearest to the middle that can be told; null = none between them can. */
const nearest = (asked: Asked, low: number, high: number): number | null => {
  const middle = Math.floor((low + high) / 2);
  for (let off = 0; off < high - low; off += 1)
    for (const at of [middle - off, middle + off])
      if (at > low && at < high && asked(at) !== null) return at;
  return null;
};

/** The flip that explains the verdict at `own`: the one that brought it, or, where all before give the same, the next that ends it.
 * Null = no version gives another verdict. */
export const findFlip = (asked: Asked, own: number, count: number): Flip | null => {
  const wanted = asked(own);
  if (wanted === null) return null;
  // The oldest first: when it gives another verdict, few have to be asked. Else one may still lie between, and then all are.
  const earlier = [0, ...downFrom(own - 1)].find((at) => at < own && isOther(asked(at), wanted));
  if (earlier !== undefined) return searchFlip(asked, earlier, own);
  let last = own;
  for (let at = own + 1; at < count; at += 1) {
    if (isOther(asked(at), wanted)) return { before: last, after: at };
    if (asked(at) !== null) last = at;
  }
  return null;
};

const downFrom = (at: number): readonly number[] =>
  at <= 0 ? [] : Array.from({ length: at }, (_, off) => at - off);
