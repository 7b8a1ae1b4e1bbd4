/** The valid name that a person most likely meant, or null when none is near: no edit for one or two letters, one for short names,
 * a third of the length for longer ones. Equal distance: the first in the given order. */
export const nearestName = (written: string, valid: Iterable<string>): string | null => {
  const wanted = written.toLowerCase();
  let best: string | null = null;
  if (written.length > 64) return null;
  let bestDistance = written.length < 3 ? 1 : Math.max(1, Math.floor(written.length / 3)) + 1;
  for (const name of valid) {
    if (Math.abs(name.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
};

/** `, did you mean \`x\`?` or nothing: the tail of a message about an unknown name. */
export const didYouMean = (written: string, valid: Iterable<string>): string => {
  const near = nearestName(written, valid);
  return near === null ? '' : `, did you mean \`${near}\`?`;
};

/** Insertions, deletions, replacements and swaps of neighbours between two texts (optimal string alignment). */
export const editDistance = (a: string, b: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? at(beforeLast, j - 2) + 1
          : Infinity;
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
};

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity;
