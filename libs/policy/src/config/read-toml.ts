import { parseTOML, ParseError, type AST } from 'toml-eslint-parser';
import { problemAt, type SourceEntry, type SourceNode, type SourceRead } from './document.ts';
import type { Position } from './problem.ts';

/** Reads TOML 1.0. The values are built from the parser's tree: its own conversion follows `__proto__`. */
export const readToml = (text: string): SourceRead => {
  if (nestsTooDeep(text)) return { ok: false, problems: [tooDeep] };
  try {
    return sourceOf(parseTOML(text, { tomlVersion: '1.0' }));
  } catch (error) {
    return { ok: false, problems: [syntaxProblem(error)] };
  }
};

const tooDeep = problemAt('too_large', [], null, 'the file is nested too deeply to be read');

const mostOpen = 256;
const longKey = /(?:(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){64}/;

/** Whether a text could nest so deep that reading it costs too much stack. Brackets count wherever they stand, so a text may have
 * some unpaired ones. The parser recurses: near the end of the stack a regular expression that is compiled ends the process. */
const nestsTooDeep = (text: string): boolean => {
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open = Math.max(0, open + (bracket === '[' || bracket === '{' ? 1 : -1));
    if (open > mostOpen) return true;
  }
  return longKey.test(text);
};

interface OpenTable {
  readonly at: Position;
  readonly entries: Map<string, OpenEntry>;
}
interface OpenList {
  readonly at: Position;
  readonly tables: OpenTable[];
}
interface OpenEntry {
  readonly at: Position;
  readonly holds: OpenTable | OpenList | SourceNode;
}

const sourceOf = (program: AST.TOMLProgram): SourceRead => {
  const top = openTable({ line: 1, column: 1 });
  for (const node of program.body[0].body) {
    const table = node.type === 'TOMLTable' ? tableFor(top, node) : top;
    for (const pair of node.type === 'TOMLTable' ? node.body : [node]) put(table, pair);
  }
  return { ok: true, root: closed(top) };
};

const tableFor = (top: OpenTable, node: AST.TOMLTable): OpenTable => {
  const last = node.key.keys.length - 1;
  return node.key.keys.reduce(
    (table, name, index) => step(table, name, index === last && node.kind === 'array'),
    top,
  );
};

/** Opens the table under a name; with `append` a new one at the end of its list of tables, else that list's last one. */
const step = (
  table: OpenTable,
  name: AST.TOMLBare | AST.TOMLQuoted,
  append: boolean,
): OpenTable => {
  const at = start(name);
  const key = keyOf(name);
  const found = table.entries.get(key)?.holds;
  if (found !== undefined && isOpenTable(found)) return found;
  const list = found !== undefined && 'tables' in found ? found : null;
  const last = list?.tables.at(-1);
  if (last !== undefined && !append) return last;
  const opened = openTable(at);
  if (list !== null) list.tables.push(opened);
  else table.entries.set(key, { at, holds: append ? { at, tables: [opened] } : opened });
  return opened;
};

const put = (into: OpenTable, pair: AST.TOMLKeyValue): void => {
  const names = pair.key.keys;
  let table = into;
  for (const name of names.slice(0, -1)) table = step(table, name, false);
  const name = names.at(-1);
  if (name !== undefined)
    table.entries.set(keyOf(name), { at: start(name), holds: nodeOf(pair.value) });
};

const nodeOf = (node: AST.TOMLContentNode): SourceNode => {
  const at = start(node);
  switch (node.type) {
    case 'TOMLArray':
      return { kind: 'list', at, items: node.elements.map(nodeOf) };
    case 'TOMLInlineTable': {
      const table = openTable(at);
      for (const pair of node.body) put(table, pair);
      return closed(table);
    }
    case 'TOMLValue':
      return { kind: 'scalar', at, value: node.value };
  }
};

const closed = (table: OpenTable): SourceNode => ({
  kind: 'table',
  at: table.at,
  entries: [...table.entries].map(([key, { at, holds }]): SourceEntry => {
    if ('kind' in holds) return { key, at, node: holds };
    if ('tables' in holds)
      return { key, at, node: { kind: 'list', at, items: holds.tables.map(closed) } };
    return { key, at, node: closed(holds) };
  }),
});

const isOpenTable = (holds: OpenEntry['holds']): holds is OpenTable =>
  !('kind' in holds) && 'entries' in holds;

const openTable = (at: Position): OpenTable => ({ at, entries: new Map() });

const keyOf = (name: AST.TOMLBare | AST.TOMLQuoted): string =>
  name.type === 'TOMLBare' ? name.name : name.value;

const start = (node: AST.HasLocs): Position => ({
  line: node.loc.start.line,
  column: node.loc.start.column + 1,
});

const syntaxProblem = (error: unknown) => {
  if (!(error instanceof ParseError)) return tooDeep;
  const at = { line: error.lineNumber, column: error.column + 1 };
  const duplicate = error.message === 'Defining a key multiple times is invalid';
  return duplicate
    ? problemAt('duplicate_key', [], at, 'this key was set before, keep one of the two')
    : problemAt('syntax', [], at, `this is no TOML: ${lowerFirst(error.message)}`);
};

const lowerFirst = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
