import type { ShellPiece, ShellRedirect } from './shell-line.ts';

/** A node of the parser's tree: its fields are read by name. */
export type Node = object;

export interface TreeReader {
  readonly kindOf: (node: Node) => string;
}

export type ReadTree =
  | {
      readonly ok: true;
      readonly argvs: readonly (readonly string[])[];
      readonly redirects: readonly ShellRedirect[];
      readonly pieces: readonly ShellPiece[];
    }
  | { readonly ok: false; readonly why: string };

/** Takes a parsed file apart. INVARIANT: a closed list of kinds of nodes; everything that is not on it is refused, nothing is
 * skipped. */
export const readTree = (reader: TreeReader, file: unknown): ReadTree => {
  const taken: Taken = { argvs: [], redirects: [], pieces: [], reader };
  try {
    const node = nodeOf(file);
    if (reader.kindOf(node) !== 'File') throw new Refused('it is no line of shell');
    statements(taken, listOf(node, 'Stmts'), 0);
  } catch (error) {
    return { ok: false, why: error instanceof Refused ? error.message : 'it cannot be read' };
  }
  const { argvs, redirects, pieces } = taken;
  return { ok: true, argvs, redirects, pieces };
};

interface Taken {
  readonly argvs: (readonly string[])[];
  readonly redirects: ShellRedirect[];
  readonly pieces: ShellPiece[];
  readonly reader: TreeReader;
}

/** Ends the reading from any depth; never leaves `readTree`. */
class Refused extends Error {}

const deepest = 24;
const mostCommands = 64;

const statements = (taken: Taken, stmts: readonly Node[], depth: number): void => {
  if (depth > deepest) throw new Refused('it is nested too deep');
  for (const [i, stmt] of stmts.entries()) {
    if (i > 0) syntax(taken, ';');
    statement(taken, stmt, depth);
  }
};

const statement = (taken: Taken, stmt: Node, depth: number): void => {
  requireKind(taken, stmt, 'Stmt');
  requireNot(stmt, 'Background', 'it leaves a command in the background');
  requireNot(stmt, 'Coprocess', 'it starts a coprocess');
  requireNot(stmt, 'Negated', 'it turns an outcome around');
  const cmd = fieldOf(stmt, 'Cmd');
  const redirs = listOf(stmt, 'Redirs');
  if (cmd === null || cmd === undefined) throw new Refused('it redirects without a command');
  command(taken, nodeOf(cmd), depth);
  for (const redirect of redirs) readRedirect(taken, redirect);
};

const command = (taken: Taken, cmd: Node, depth: number): void => {
  const kind = taken.reader.kindOf(cmd);
  switch (kind) {
    case 'CallExpr':
      call(taken, cmd);
      return;
    case 'BinaryCmd':
      binary(taken, cmd, depth);
      return;
    case 'Subshell':
      group(taken, cmd, { open: '(', close: ')', depth });
      return;
    case 'Block':
      group(taken, cmd, { open: '{', close: '; }', depth });
      return;
    default:
      throw new Refused(`it holds what is no plain command (${kind})`);
  }
};

const group = (
  taken: Taken,
  cmd: Node,
  { open, close, depth }: { readonly open: string; readonly close: string; readonly depth: number },
): void => {
  const stmts = listOf(cmd, 'Stmts');
  if (stmts.length === 0) throw new Refused('it holds an empty group');
  syntax(taken, open);
  statements(taken, stmts, depth + 1);
  syntax(taken, close);
};

/** The parser's numbers of the operators between commands. */
const joins: ReadonlyMap<unknown, string> = new Map([
  [10, '&&'],
  [11, '||'],
  [12, '|'],
  [13, '|&'],
]);

const binary = (taken: Taken, cmd: Node, depth: number): void => {
  if (depth > deepest) throw new Refused('it is nested too deep');
  const join = joins.get(fieldOf(cmd, 'Op'));
  if (join === undefined) throw new Refused('it joins commands in a way that is not known');
  statement(taken, nodeOf(fieldOf(cmd, 'X')), depth + 1);
  syntax(taken, join);
  statement(taken, nodeOf(fieldOf(cmd, 'Y')), depth + 1);
};

const call = (taken: Taken, cmd: Node): void => {
  if (listOf(cmd, 'Assigns').length > 0) throw new Refused('it sets a variable');
  const argv = listOf(cmd, 'Args').map((arg) => word(taken, arg));
  if (argv[0] === undefined || argv[0] === '') throw new Refused('a command has no name');
  if (taken.argvs.length >= mostCommands)
    throw new Refused(`it holds more than ${mostCommands} commands`);
  taken.argvs.push(argv);
  for (const text of argv) taken.pieces.push({ kind: 'word', text });
};

/** The parser's numbers of the redirects to and from files, with what is written for them. */
const files: ReadonlyMap<unknown, { readonly text: string; readonly access: 'read' | 'write' }> =
  new Map([
    [54, { text: '>', access: 'write' }],
    [55, { text: '>>', access: 'write' }],
    [56, { text: '<', access: 'read' }],
    [60, { text: '>|', access: 'write' }],
    [64, { text: '&>', access: 'write' }],
    [65, { text: '&>>', access: 'write' }],
  ]);
const copyOfOutput = 59;

const readRedirect = (taken: Taken, redirect: Node): void => {
  requireKind(taken, redirect, 'Redirect');
  if (isThere(fieldOf(redirect, 'Hdoc'))) throw new Refused('it holds a here-document');
  const n = fieldOf(redirect, 'N');
  const from = isThere(n) ? fieldOf(nodeOf(n), 'Value') : '';
  if (from !== '' && from !== '0' && from !== '1' && from !== '2')
    throw new Refused('it opens a file beside input, output and errors');
  const op = fieldOf(redirect, 'Op');
  const target = word(taken, nodeOf(fieldOf(redirect, 'Word')));
  if (op === copyOfOutput && from !== '0') {
    if (target !== '1' && target !== '2')
      throw new Refused('it copies what is neither output nor errors');
    syntax(taken, `${from}>&${target}`);
    return;
  }
  const known = files.get(op);
  if (known === undefined) throw new Refused('it redirects in a way that is not known');
  if (known.text.startsWith('&') && from !== '')
    throw new Refused('it redirects in a way that is not known');
  syntax(taken, `${from}${known.text}`);
  if (target === '/dev/null') syntax(taken, target);
  else file(taken, target, known.access);
};

const file = (taken: Taken, target: string, access: 'read' | 'write'): void => {
  if (target === '') throw new Refused('it redirects to a file without a name');
  // A shell takes some of these names for connections.
  if (/^\/+dev(\/|$)/.test(target)) throw new Refused('it redirects to a device');
  taken.pieces.push({ kind: 'target', redirect: taken.redirects.length });
  taken.redirects.push({ target, access });
};

/** A word whose text stands in the line as it is. */
const word = (taken: Taken, node: Node): string => {
  requireKind(taken, node, 'Word');
  const parts = listOf(node, 'Parts');
  if (parts.length === 0) throw new Refused('it holds a word without text');
  return parts.map((part) => wordPart(taken, part)).join('');
};

/** What a shell would put something else in the place of, or read in another way. */
const special = /[*?[\]{}~$`\\!^]/;

const wordPart = (taken: Taken, part: Node): string => {
  const kind = taken.reader.kindOf(part);
  switch (kind) {
    case 'Lit': {
      const value = textOf(part, 'Value');
      if (special.test(value)) throw new Refused(`\`${value}\` is not plain text: quote it`);
      return value;
    }
    case 'SglQuoted':
      requireNot(part, 'Dollar', 'it holds text with escapes');
      return textOf(part, 'Value');
    case 'DblQuoted':
      requireNot(part, 'Dollar', 'it holds text that is translated');
      return listOf(part, 'Parts')
        .map((inner) => {
          if (taken.reader.kindOf(inner) !== 'Lit')
            throw new Refused('a word depends on what is found when it runs');
          const value = textOf(inner, 'Value');
          if (/[$`\\]/.test(value)) throw new Refused(`\`${value}\` is not plain text`);
          return value;
        })
        .join('');
    default:
      throw new Refused('a word depends on what is found when it runs');
  }
};

const syntax = (taken: Taken, text: string): void => {
  taken.pieces.push({ kind: 'syntax', text });
};

const requireKind = ({ reader }: Taken, node: Node, kind: string): void => {
  if (reader.kindOf(node) !== kind) throw new Refused('it is built in a way that is not known');
};

/** Anything but a plain `false` counts as set. */
const requireNot = (node: Node, flag: string, why: string): void => {
  if (fieldOf(node, flag) !== false) throw new Refused(why);
};

const isThere = (value: unknown): boolean => value !== null && value !== undefined;

const nodeOf = (value: unknown): Node => {
  if (typeof value !== 'object' || value === null)
    throw new Refused('it is built in a way that is not known');
  return value;
};

const fieldOf = (node: Node, name: string): unknown => Reflect.get(node, name);

const textOf = (node: Node, name: string): string => {
  const value = fieldOf(node, name);
  if (typeof value !== 'string') throw new Refused('it is built in a way that is not known');
  return value;
};

const listOf = (node: Node, name: string): readonly Node[] => {
  const value = fieldOf(node, name);
  if (!Array.isArray(value)) throw new Refused('it is built in a way that is not known');
  return value.map(nodeOf);
};
