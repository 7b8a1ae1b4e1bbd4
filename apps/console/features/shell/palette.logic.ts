/** A place that one can go to. */
export interface Place {
  readonly href: string;
  readonly name: string;
  readonly kind: 'page' | 'agent' | 'turn';
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The places whose name or kind holds every word, those that begin with the words first. A whole id is a turn's, known or not. */
export const placesFor = (words: string, places: readonly Place[], most = 12): readonly Place[] => {
  const needle = words.trim().toLowerCase();
  const parts = needle.split(/\s+/);
  const found = places.filter(({ name, kind, href }) => {
    const text = `${kind} ${name} ${href}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  });
  const first = found.filter(({ name }) => name.toLowerCase().startsWith(needle));
  const rest = found.filter((place) => !first.includes(place));
  const ordered = [...first, ...rest].slice(0, most);
  const known = ordered.some(({ href }) => href === `/turns/${needle}`);
  return uuid.test(needle) && !known
    ? [{ href: `/turns/${needle}`, name: needle, kind: 'turn' }, ...ordered]
    : ordered;
};
