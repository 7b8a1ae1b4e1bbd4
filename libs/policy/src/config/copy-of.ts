import { isTable } from './document.ts';

/** A copy whose tables and lists can be changed. */
export const copyOf = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copied(inner)]));

const copied = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(copied);
  return isTable(value) ? copyOf(value) : value;
};
