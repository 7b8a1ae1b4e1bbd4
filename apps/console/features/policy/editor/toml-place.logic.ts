/** Where the cursor stands in a TOML text, and what was typed of the word there. `from` and `to` bound that word, its quotes included. */
export interface Place {
  /** The name of a table, the key of a line, or what stands behind its `=`. */
  readonly kind: 'header' | 'key' | 'value';
  /** The tables around it; for a value its key too. */
  readonly path: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly word: string;
}

interface Token {
  readonly kind: 'comment' | 'string' | 'line' | 'mark' | 'bare' | 'space';
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

interface Frame {
  readonly kind: 'array' | 'inline';
  readonly path: readonly string[];
}

interface Scan {
  readonly mode: 'key' | 'header' | 'value' | 'done';
  readonly table: readonly string[];
  /** Of the key or header that is being read. */
  readonly parts: readonly string[];
  readonly frames: readonly Frame[];
}

const pattern =
  /(#[^\n]*)|("""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)|(\r?\n)|([[\]{}=,.])|([^\s#"'[\]{}=,.]+)|([^\S\n]+|\r)/gu;
const kinds = ['comment', 'string', 'line', 'mark', 'bare', 'space'] as const;

const tokensOf = (text: string): readonly Token[] =>
  [...text.matchAll(pattern)].map((match) => ({
    kind:
      kinds[match.slice(1).findIndex((group: string | undefined) => group !== undefined)] ?? 'bare',
    text: match[0],
    from: match.index,
    to: match.index + match[0].length,
  }));

const start: Scan = { mode: 'key', table: [], parts: [], frames: [] };

/** Where the cursor stands; null inside a comment, and behind what ends a line. */
export const placeAt = (text: string, cursor: number): Place | null => {
  const before = tokensOf(text).filter(({ from }) => from < cursor);
  const last = before.at(-1);
  if (last?.kind === 'comment') return null;
  const inWord = last !== undefined && isWord(last) && last.to >= cursor;
  const scan = (inWord ? before.slice(0, -1) : before).reduce(step, start);
  if (scan.mode === 'done') return null;
  return {
    kind: scan.mode,
    path: scan.mode === 'value' ? valuePath(scan) : [...basePath(scan), ...scan.parts],
    from: inWord ? last.from : cursor,
    to: inWord ? last.to : cursor,
    word: inWord ? unquoted(last.text) : '',
  };
};

/** Every table and key of a text, as paths: what is there already. */
export const pathsIn = (text: string): readonly (readonly string[])[] => {
  const found: (readonly string[])[] = [];
  tokensOf(text).reduce((scan, token) => {
    const next = step(scan, token);
    if (scan.mode === 'key' && next.mode === 'value') found.push(valuePath(next));
    if (scan.mode === 'header' && next.mode === 'done') found.push(next.table);
    return next;
  }, start);
  return found;
};

const isWord = ({ kind }: Token): boolean => kind === 'bare' || kind === 'string';

const unquoted = (text: string): string => text.replace(/^["']+|["']+$/g, '');

const basePath = ({ mode, table, frames }: Scan): readonly string[] =>
  mode === 'header' ? [] : (frames.at(-1)?.path ?? table);

const valuePath = (scan: Scan): readonly string[] =>
  scan.frames.at(-1)?.kind === 'array' ? basePath(scan) : [...basePath(scan), ...scan.parts];

const step = (scan: Scan, token: Token): Scan => {
  switch (token.kind) {
    case 'comment':
    case 'space':
      return scan;
    case 'line':
      return scan.frames.length > 0 ? scan : { ...scan, mode: 'key', parts: [] };
    case 'bare':
    case 'string':
      return scan.mode === 'key' || scan.mode === 'header'
        ? { ...scan, parts: [...scan.parts, unquoted(token.text)] }
        : scan;
    case 'mark':
      return scan.mode === 'value' ? markInValue(scan, token.text) : markInName(scan, token.text);
  }
};

const markInName = (scan: Scan, mark: string): Scan => {
  if (mark === '=') return { ...scan, mode: 'value' };
  if (mark === '[' && scan.frames.length === 0) return { ...scan, mode: 'header', parts: [] };
  if (mark === ']' && scan.mode === 'header')
    return { mode: 'done', table: scan.parts, parts: [], frames: [] };
  return mark === '}' ? closed(scan) : scan;
};

const markInValue = (scan: Scan, mark: string): Scan => {
  switch (mark) {
    case '[':
      return opened(scan, 'array');
    case '{':
      return { ...opened(scan, 'inline'), mode: 'key', parts: [] };
    case ']':
    case '}':
      return closed(scan);
    case ',':
      return scan.frames.at(-1)?.kind === 'inline' ? { ...scan, mode: 'key', parts: [] } : scan;
    default:
      return scan;
  }
};

const opened = (scan: Scan, kind: Frame['kind']): Scan => ({
  ...scan,
  frames: [...scan.frames, { kind, path: valuePath(scan) }],
});

/** What was opened is closed: the key that it stands behind is over with it. */
const closed = (scan: Scan): Scan => {
  const frames = scan.frames.slice(0, -1);
  return { ...scan, frames, mode: frames.length === 0 ? 'done' : 'value', parts: [] };
};
