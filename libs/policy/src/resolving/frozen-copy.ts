/** A copy of JSON that nothing can change any more; what the caller gave stays as it was. Entries without a value are left out. */
export const frozenCopy = <T>(value: T): T => copied(value) as T;

const copied = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(copied));
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.freeze(Object.fromEntries(entries.map(([key, part]) => [key, copied(part)])));
};
