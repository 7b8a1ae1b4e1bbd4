/** Words that are looked for at most; an input may be a whole document. */
const mostWords = 64;

/** What FTS5 is asked for: any of the words of a text, each as a quoted string, so that nothing in it is syntax. Null = there is no word. */
export const matchWords = (text: string): string | null => {
  const words = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    words.add(word);
    if (words.size >= mostWords) break;
  }
  return words.size === 0 ? null : [...words].map((word) => `"${word}"`).join(' OR ');
};
