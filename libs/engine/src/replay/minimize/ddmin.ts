/** A smallest part of a list that still has a property: taking away any single item loses it. Order is kept. The list itself must have
 * the property; what is asked twice is answered once. */
export const ddmin = <T>(
  items: readonly T[],
  holds: (part: readonly T[]) => boolean,
): readonly T[] => {
  const known = new Map<string, boolean>();
  const test = (part: readonly number[]): boolean => {
    const key = part.join(' ');
    const answer = known.get(key) ?? holds(part.flatMap((at) => items.slice(at, at + 1)));
    known.set(key, answer);
    return answer;
  };
  let kept: readonly number[] = items.map((_, at) => at);
  if (test([])) return [];
  for (let parts = 2; kept.length > 1;) {
    const chunks = split(kept, parts);
    const smaller =
      chunks.find((chunk) => test(chunk)) ??
      (parts > 2
        ? chunks.map((chunk) => without(kept, chunk)).find((rest) => test(rest))
        : undefined);
    if (smaller !== undefined) {
      parts = chunks.includes(smaller) ? 2 : Math.max(2, parts - 1);
      kept = smaller;
    } else if (parts >= kept.length) break;
    else parts = Math.min(kept.length, parts * 2);
  }
  return kept.flatMap((at) => items.slice(at, at + 1));
};

/** The list in so many parts of about equal length, in order. */
const split = (list: readonly number[], parts: number): readonly (readonly number[])[] => {
  const size = Math.ceil(list.length / parts);
  const chunks: (readonly number[])[] = [];
  for (let at = 0; at < list.length; at += size) chunks.push(list.slice(at, at + size));
  return chunks;
};

const without = (list: readonly number[], chunk: readonly number[]): readonly number[] => {
  const gone = new Set(chunk);
  return list.filter((at) => !gone.has(at));
};
