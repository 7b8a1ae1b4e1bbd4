/** How many values fell into each bucket. A value below 64 has a bucket of its own; above, each doubling has 64 of them, so that a
 * quantile is off by less than 1 % and there are never more than some 3,000 buckets. */
export type Histogram = ReadonlyMap<number, number>;

const perDoubling = 64;

/** The bucket of a value. Values are whole and not negative. */
export const bucketOf = (value: number): number => {
  if (value < perDoubling) return value;
  const doubling = Math.floor(Math.log2(value));
  // Near a power of two the logarithm may be rounded up.
  const base = 2 ** doubling > value ? doubling - 1 : doubling;
  return (base - firstDoubling + 1) * perDoubling + within(value, base);
};

const firstDoubling = Math.log2(perDoubling);

const within = (value: number, base: number): number =>
  Math.floor((value / 2 ** base - 1) * perDoubling);

/** The middle of a bucket. */
export const middleOf = (bucket: number): number => {
  if (bucket < perDoubling) return bucket;
  const base = Math.floor(bucket / perDoubling) - 1 + firstDoubling;
  const width = 2 ** base / perDoubling;
  return Math.floor(2 ** base + ((bucket % perDoubling) + 0.5) * width);
};

/** The value that this share of all values does not exceed; null = there are none.
 * @param share above 0, up to 1 */
export const quantile = (histogram: Histogram, share: number): number | null => {
  const rank = Math.max(1, Math.ceil(countOf(histogram) * share));
  let seen = 0;
  for (const [bucket, count] of [...histogram].sort(([a], [b]) => a - b)) {
    seen += count;
    if (seen >= rank) return middleOf(bucket);
  }
  return null;
};

/** How many values a histogram holds. */
export const countOf = (histogram: Histogram): number => {
  let count = 0;
  for (const one of histogram.values()) count += one;
  return count;
};
