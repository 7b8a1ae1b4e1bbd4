import { isAlias, isMap, isScalar, isSeq, LineCounter, type YAMLError } from 'yaml';
import { composeYaml } from './compose-yaml.ts';
import { problemAt, type SourceEntry, type SourceNode, type SourceRead } from './document.ts';
import type { ConfigProblem, Position } from './problem.ts';

/** Most keys and items once every alias is followed, and the deepest nesting. */
const maxNodes = 20_000;
const maxDepth = 64;
const maxProblems = 50;

/** Reads YAML 1.2 with the core schema. What the parser only warns of is refused too. */
export const readYaml = (text: string): SourceRead => {
  const lines = new LineCounter();
  try {
    const document = composeYaml(text, {
      lines,
      most: maxDepth,
      prettyErrors: false,
      stringKeys: true,
      version: '1.2',
      schema: 'core',
      // The parser compares each key with all before it; ours are counted below.
      uniqueKeys: false,
    });
    if (document === null) return refuseDepth;
    const found = [...document.errors, ...document.warnings];
    if (found.length > 0) return { ok: false, problems: syntaxProblems(found, lines) };
    if (document.contents === null)
      return { ok: true, root: { kind: 'table', at: { line: 1, column: 1 }, entries: [] } };
    const walk: Walk = { lines, anchors: new Map(), nodes: 0, problem: null };
    const root = nodeOf(walk, document.contents, 0);
    return walk.problem === null ? { ok: true, root } : { ok: false, problems: [walk.problem] };
  } catch {
    return refuseDepth;
  }
};

const tooDeep = 'the file is nested too deeply to be read';
const refuseDepth: SourceRead = {
  ok: false,
  problems: [problemAt('too_large', [], null, tooDeep)],
};

interface Walk {
  readonly lines: LineCounter;
  /** The last node under each name. The parser's own look-up goes through the whole file for each alias. */
  readonly anchors: Map<string, unknown>;
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
  if (isAlias(node)) {
    if (!walk.anchors.has(node.source))
      walk.problem ??= problemAt(
        'syntax',
        [],
        at,
        `no anchor \`${node.source}\` stands before this`,
      );
    return nodeOf(walk, walk.anchors.get(node.source), depth + 1, at);
  }
  if (seen === undefined) noteAnchor(walk, node);
  if (isScalar(node)) return { kind: 'scalar', at, value: node.value };
  if (isSeq(node))
    return {
      kind: 'list',
      at,
      items: node.items.map((item) => nodeOf(walk, item, depth + 1, seen)),
    };
  if (isMap(node)) {
    const keys = new Set<string>();
    const entries = node.items.map((pair): SourceEntry => {
      const keyAt = seen ?? place(walk.lines, pair.key);
      const key = keyText(pair.key);
      if (keys.has(key)) walk.problem ??= problemAt('duplicate_key', [], keyAt, setBefore);
      keys.add(key);
      const inner = pair.value ?? null;
      const value: SourceNode =
        inner === null
          ? { kind: 'scalar', at: keyAt, value: null }
          : nodeOf(walk, inner, depth + 1, seen);
      return { key, at: keyAt, node: value };
    });
    return { kind: 'table', at, entries };
  }
  return { kind: 'scalar', at, value: null };
};

const setBefore = 'this key was set before, keep one of the two';

const noteAnchor = (walk: Walk, node: unknown): void => {
  if (!(isScalar(node) || isSeq(node) || isMap(node)) || node.anchor === undefined) return;
  walk.anchors.set(node.anchor, node);
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
    if (error.code === 'RESOURCE_EXHAUSTION') return problemAt('too_large', [], null, tooDeep);
    const message = error.message.split('\n')[0] ?? '';
    return problemAt('syntax', [], at, `this is no YAML: ${lowerFirst(message)}`);
  });

const lowerFirst = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
