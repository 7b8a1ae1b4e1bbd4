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

/** Puts an item in front of a list and drops the last beyond a bound. */
export const putFirst = <T>(list: T[], item: T, most: number): void => {
  list.unshift(item);
  if (list.length > most) list.pop();
};
