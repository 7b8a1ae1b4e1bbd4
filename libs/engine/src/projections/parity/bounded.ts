/** Sets an entry as the newest of a map and forgets the oldest ones beyond a bound. */
export const setBounded = <K, V>(map: Map<K, V>, key: K, value: V, most: number): void => {
  map.delete(key);
  map.set(key, value);
  if (map.size > most)
    for (const oldest of map.keys()) {
      map.delete(oldest);
      if (map.size <= most) break;
    }
};

/** A list with one more item in front, at most `most` long. */
export const newestFirst = <T>(list: readonly T[], item: T, most: number): readonly T[] =>
  [item, ...list].slice(0, most);
