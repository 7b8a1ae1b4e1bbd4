export interface DiffLine {
  readonly kind: 'add' | 'del' | 'hunk' | 'same';
  readonly text: string;
}

/** Lines of a unified diff without file headers. */
export const diffLines = (diff: string): readonly DiffLine[] =>
  diff.split('\n').map((text) => ({ kind: kindOf(text), text }));

const kindOf = (text: string): DiffLine['kind'] => {
  if (text.startsWith('@@ ')) return 'hunk';
  if (text.startsWith('+')) return 'add';
  return text.startsWith('-') ? 'del' : 'same';
};

/** JSON text spread over lines, for a person; text that is no JSON stays as it is. */
export const prettyJson = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};
