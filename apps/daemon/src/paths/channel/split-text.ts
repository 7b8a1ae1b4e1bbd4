/** Cuts a text into pieces of at most `limit` UTF-16 units, at line ends and spaces where there are some late enough, never inside a
 * character. At least one piece. */
export const splitText = (text: string, limit: number): readonly string[] => {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > limit) {
    const at = cutAt(rest, limit);
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...pieces, rest];
};

/** The first so many UTF-16 units, no character cut in two. */
export const headOf = (text: string, limit: number): string =>
  text.length <= limit ? text : text.slice(0, whole(text, Math.max(0, limit)));

const cutAt = (text: string, limit: number): number => {
  const early = Math.floor(limit / 2);
  for (const mark of ['\n', ' ']) {
    const at = text.lastIndexOf(mark, limit - 1);
    if (at >= early) return at + 1;
  }
  return Math.max(1, whole(text, limit));
};

/** The place at or before `at` where no pair of units is split. */
const whole = (text: string, at: number): number => {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
};
