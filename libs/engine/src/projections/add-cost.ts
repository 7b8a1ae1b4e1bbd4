/** Adds micro-dollars: something unknown makes the sum unknown. */
export const addCost = (a: number | 'unknown', b: number | 'unknown'): number | 'unknown' =>
  a === 'unknown' || b === 'unknown' ? 'unknown' : a + b;
