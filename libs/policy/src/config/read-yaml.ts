import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type YAMLError,
} from 'yaml';
import { problemAt, type SourceEntry, type SourceNode, type SourceRead } from './document.ts';
import type { ConfigProblem, Position } from './problem.ts';

/** Most keys and items once every alias is followed, and the deepest nesting. */
const maxNodes = 100_000;
const maxDepth = 64;
const maxProblems = 50;

/** Reads YAML 1.2 with the core schema. What the parser only warns of is refused too. */
export const readYaml = (text: string): SourceRead => {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      stringKeys: true,
      version: '1.2',
      schema: 'core',
    });
    const found = [...document.errors, ...document.warnings];
    if (found.length > 0) return { ok: false, problems: syntaxProblems(found, lines) };
    if (document.contents === null)
      return { ok: true, root: { kind: 'table', at: { line: 1, column: 1 }, entries: [] } };
    const walk: Walk = { document, lines, nodes: 0, problem: null };
    const root = nodeOf(walk, document.contents, 0);
    return walk.problem === null ? { ok: true, root } : { ok: false, problems: [walk.problem] };
  } catch {
    return { ok: false, problems: [problemAt('too_large', [], null, tooDeep)] };
  }
};

const tooDeep = 'the file is nested too deeply to be read';

interface Walk {
  readonly document: Document;
  readonly lines: LineCounter;
  nodes: number;
  problem: ConfigProblem | null;
}

const nodeOf = (walk: Walk, node: unknown, depth: number, seen?: Position): SourceNode => {
  const at = seen ?? place(walk.lines, node);
  walk.nodes += 1;
  if (walk.nodes > maxNodes || depth > maxDepth) {
    const message = depth > maxDepth ? tooDeep : 'the aliases of this file add up to too much';
    walk.problem ??= problemAt('too_large', [], at, message);
    return { kind: 'scalar', at, value: null };
  }
  // What an alias brings along stands, for a reader, where the alias stands.
  if (isAlias(node)) return nodeOf(walk, node.resolve(walk.document), depth + 1, at);
  if (isScalar(node)) return { kind: 'scalar', at, value: node.value };
  if (isSeq(node))
    return {
      kind: 'list',
      at,
      items: node.items.map((item) => nodeOf(walk, item, depth + 1, seen)),
    };
  if (isMap(node)) {
    const entries = node.items.map((pair): SourceEntry => {
      const keyAt = seen ?? place(walk.lines, pair.key);
      const inner = pair.value ?? null;
      const value: SourceNode =
        inner === null
          ? { kind: 'scalar', at: keyAt, value: null }
          : nodeOf(walk, inner, depth + 1, seen);
      return { key: keyText(pair.key), at: keyAt, node: value };
    });
    return { kind: 'table', at, entries };
  }
  return { kind: 'scalar', at, value: null };
};

const keyText = (key: unknown): string => {
  const value = isScalar(key) ? key.value : key;
  return typeof value === 'string' ? value : '';
};

const place = (lines: LineCounter, node: unknown): Position => {
  const ranged = isScalar(node) || isSeq(node) || isMap(node) || isAlias(node);
  const offset = ranged ? (node.range?.[0] ?? 0) : 0;
  return position(lines, offset);
};

const position = (lines: LineCounter, offset: number): Position => {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
};

const syntaxProblems = (found: readonly YAMLError[], lines: LineCounter): ConfigProblem[] =>
  found.slice(0, maxProblems).map((error) => {
    const at = position(lines, error.pos[0]);
    if (error.code === 'DUPLICATE_KEY')
      return problemAt('duplicate_key', [], at, 'this key was set before, keep one of the two');
    if (error.code === 'RESOURCE_EXHAUSTION') return problemAt('too_large', [], null, tooDeep);
    const message = error.message.split('\n')[0] ?? '';
    return problemAt('syntax', [], at, `this is no YAML: ${lowerFirst(message)}`);
  });

const lowerFirst = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
