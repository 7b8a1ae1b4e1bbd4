/** The value under a key of the record itself: a name such as `constructor` never finds what every object inherits. */
export const own = <V>(record: Readonly<Record<string, V>>, key: string): V | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
