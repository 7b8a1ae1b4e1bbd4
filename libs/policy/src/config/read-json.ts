import { problemAt, type SourceEntry, type SourceNode, type SourceRead } from './document.ts';
import type { ConfigProblem, Position } from './problem.ts';

const maxDepth = 64;

/** Reads JSON (RFC 8259) with the place of every key and value, and of the first mistake; `JSON.parse` gives neither. */
export const readJson = (text: string): SourceRead => {
  const scan: Scan = { text, offset: 0, lines: lineStarts(text), problem: null };
  const root = nodeOf(scan, 0);
  skip(scan);
  if (scan.problem === null && scan.offset < text.length) fail(scan, 'the end of the file');
  return scan.problem === null ? { ok: true, root } : { ok: false, problems: [scan.problem] };
};

interface Scan {
  readonly text: string;
  readonly lines: readonly number[];
  offset: number;
  /** The first mistake; everything after it is left unread. */
  problem: ConfigProblem | null;
}

const nodeOf = (scan: Scan, depth: number): SourceNode => {
  skip(scan);
  const at = placeOf(scan, scan.offset);
  if (depth > maxDepth && scan.problem === null)
    scan.problem = problemAt('too_large', [], at, 'the file is nested too deeply to be read');
  if (scan.problem !== null) return { kind: 'scalar', at, value: null };
  if (take(scan, '{')) return { kind: 'table', at, entries: entriesOf(scan, depth) };
  if (take(scan, '['))
    return { kind: 'list', at, items: listOf(scan, ']', () => nodeOf(scan, depth + 1)) };
  return { kind: 'scalar', at, value: scalarOf(scan) };
};

const entriesOf = (scan: Scan, depth: number): SourceEntry[] => {
  const seen = new Set<string>();
  return listOf(scan, '}', (): SourceEntry => {
    skip(scan);
    const at = placeOf(scan, scan.offset);
    const key = scan.text[scan.offset] === '"' ? scalarOf(scan) : null;
    if (typeof key !== 'string') fail(scan, 'a key in double quotes');
    const name = typeof key === 'string' ? key : '';
    if (seen.has(name) && scan.problem === null)
      scan.problem = problemAt(
        'duplicate_key',
        [],
        at,
        'this key was set before, keep one of the two',
      );
    seen.add(name);
    skip(scan);
    if (!take(scan, ':')) fail(scan, 'a colon after the key');
    return { key: name, at, node: nodeOf(scan, depth + 1) };
  });
};

/** Reads what stands between commas up to `close`; a comma before `close` is a mistake. */
const listOf = <T>(scan: Scan, close: string, read: () => T): T[] => {
  const items: T[] = [];
  skip(scan);
  if (take(scan, close)) return items;
  while (scan.problem === null) {
    items.push(read());
    skip(scan);
    if (take(scan, close)) break;
    if (!take(scan, ',')) fail(scan, `a comma or \`${close}\``);
  }
  return items;
};

const scalar = /"[^"\\]*(?:\\.[^"\\]*)*"|[-+.0-9A-Za-z]+/y;

const scalarOf = (scan: Scan): unknown => {
  scalar.lastIndex = scan.offset;
  const token = scalar.exec(scan.text)?.[0];
  if (token === undefined) {
    fail(scan, 'a value');
    return null;
  }
  try {
    const value: unknown = JSON.parse(token);
    scan.offset += token.length;
    return value;
  } catch {
    fail(scan, 'a value');
    return null;
  }
};

const skip = (scan: Scan): void => {
  while (' \t\r\n'.includes(scan.text[scan.offset] ?? 'end')) scan.offset += 1;
};

const take = (scan: Scan, token: string): boolean => {
  if (scan.problem !== null || scan.text[scan.offset] !== token) return false;
  scan.offset += 1;
  return true;
};

const fail = (scan: Scan, expected: string): void => {
  const at = placeOf(scan, scan.offset);
  scan.problem ??= problemAt('syntax', [], at, `this is no JSON: expected ${expected} here`);
};

const lineStarts = (text: string): number[] => {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
};

const placeOf = (scan: Scan, offset: number): Position => {
  let low = 0;
  let high = scan.lines.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((scan.lines[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (scan.lines[low] ?? 0) + 1 };
};
