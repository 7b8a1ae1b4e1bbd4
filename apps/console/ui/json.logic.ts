import { visibleText } from '@lockstep/engine';

export interface JsonToken {
  readonly kind: 'key' | 'string' | 'number' | 'word' | 'plain';
  readonly text: string;
}

/** A value as lines of tokens to colour. No character in it hides. */
export const jsonLines = (value: unknown): readonly (readonly JsonToken[])[] =>
  visibleText(JSON.stringify(value ?? null, null, 2))
    .split('\n')
    .map(tokensOf);

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)/g;

const tokensOf = (line: string): readonly JsonToken[] => {
  const tokens: JsonToken[] = [];
  let at = 0;
  for (const match of line.matchAll(token)) {
    if (match.index > at) tokens.push({ kind: 'plain', text: line.slice(at, match.index) });
    const [whole, quoted, colon, digits] = match;
    if (quoted !== undefined) {
      tokens.push({ kind: colon === undefined ? 'string' : 'key', text: quoted });
      if (colon !== undefined) tokens.push({ kind: 'plain', text: colon });
    } else tokens.push({ kind: digits === undefined ? 'word' : 'number', text: whole });
    at = match.index + whole.length;
  }
  if (at < line.length) tokens.push({ kind: 'plain', text: line.slice(at) });
  return tokens;
};

/** Indexes of the lines that hold the words, in any case; none when nothing is looked for. */
export const linesWith = (
  lines: readonly (readonly JsonToken[])[],
  words: string,
): readonly number[] => {
  const needle = words.trim().toLowerCase();
  if (needle === '') return [];
  return lines.flatMap((line, index) =>
    line
      .map(({ text }) => text)
      .join('')
      .toLowerCase()
      .includes(needle)
      ? [index]
      : [],
  );
};
