import { formatPath, type ConfigPath, type ConfigProblem, type Position } from './problem.ts';
import type { ConfigProblemCode } from './problem.ts';

/** Deepest nesting of tables and lists; no section needs half of it. */
const maxDepth = 32;
/** Most keys and items of one file, aliases of YAML counted each time they are used. */
const maxNodes = 20_000;
/** Most entries of one table. Checks look at every agent, and some at every pair of them. */
const maxEntries = 500;

/** A value with the places of what it is made of, the same for every format. */
export type SourceNode =
  | { readonly kind: 'scalar'; readonly at: Position; readonly value: unknown }
  | { readonly kind: 'list'; readonly at: Position; readonly items: readonly SourceNode[] }
  | { readonly kind: 'table'; readonly at: Position; readonly entries: readonly SourceEntry[] };

export interface SourceEntry {
  readonly key: string;
  readonly at: Position;
  readonly node: SourceNode;
}

/** A config text as plain values, with the place of every key and value. */
export interface ConfigDocument {
  readonly value: Record<string, unknown>;
  /** The place of the nearest key or value on the way to `path`; null for an empty file. */
  keyAt(path: ConfigPath): Position | null;
  valueAt(path: ConfigPath): Position | null;
}

export type DocumentRead =
  | { readonly ok: true; readonly document: ConfigDocument }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

export type SourceRead =
  | { readonly ok: true; readonly root: SourceNode }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Turns a tree of any format into plain values, and refuses what no section could ever mean. */
export const documentOf = (root: SourceNode): DocumentRead => {
  const places = new Map<string, Places>();
  const problems: ConfigProblem[] = [];
  if (root.kind !== 'table')
    return { ok: false, problems: [problemAt('syntax', [], root.at, 'the file must be a table')] };
  const value = valueOf({ places, problems, nodes: 0 }, root, []);
  if (problems.length > 0) return { ok: false, problems };
  const find = (kind: keyof Places) => (path: ConfigPath) => {
    for (let length = path.length; length >= 0; length -= 1) {
      const found = places.get(placeKey(path.slice(0, length)));
      if (found !== undefined) return length === path.length ? found[kind] : found.key;
    }
    return null;
  };
  return {
    ok: true,
    document: { value: isTable(value) ? value : {}, keyAt: find('key'), valueAt: find('value') },
  };
};

export const problemAt = (
  code: ConfigProblemCode,
  path: ConfigPath,
  at: Position | null,
  message: string,
): ConfigProblem => ({
  path: formatPath(path),
  line: at?.line ?? null,
  column: at?.column ?? null,
  message,
  code,
});

/** Whether a value is a table of config. */
export const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Places {
  readonly key: Position;
  readonly value: Position;
}
interface Walk {
  readonly places: Map<string, Places>;
  readonly problems: ConfigProblem[];
  nodes: number;
}

const placeKey = (path: ConfigPath): string => JSON.stringify(path);

/** Keys that reach the prototype of an object instead of the object. */
const reservedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const valueOf = (walk: Walk, node: SourceNode, path: ConfigPath, key = node.at): unknown => {
  walk.nodes += 1;
  if (walk.nodes > maxNodes || path.length > maxDepth) return refuseSize(walk, node, path);
  walk.places.set(placeKey(path), { key, value: node.at });
  switch (node.kind) {
    case 'scalar':
      checkScalar(walk, node.value, path, node.at);
      return node.value;
    case 'list':
      return node.items.map((item, index) => valueOf(walk, item, [...path, index]));
    case 'table':
      return tableOf(walk, node.entries, path);
  }
};

const tableOf = (walk: Walk, entries: readonly SourceEntry[], path: ConfigPath): unknown => {
  const table: Record<string, unknown> = {};
  const beyond = entries[maxEntries];
  if (beyond !== undefined) {
    const message = `this table has more than ${maxEntries} entries`;
    walk.problems.push(problemAt('too_large', path, beyond.at, message));
    return table;
  }
  for (const entry of entries) {
    const inner = [...path, entry.key];
    if (reservedKeys.has(entry.key)) {
      const message = `\`${entry.key}\` is a reserved word, choose another name`;
      walk.problems.push(problemAt('reserved_key', inner, entry.at, message));
      continue;
    }
    checkScalar(walk, entry.key, inner, entry.at);
    table[entry.key] = valueOf(walk, entry.node, inner, entry.at);
  }
  return table;
};

const checkScalar = (walk: Walk, value: unknown, path: ConfigPath, at: Position): void => {
  if (value instanceof Date)
    walk.problems.push(
      problemAt('invalid_value', path, at, 'no setting is a date, write a text in quotes'),
    );
  if (typeof value !== 'string') return;
  if (!value.isWellFormed())
    walk.problems.push(problemAt('syntax', path, at, 'the text holds half a Unicode character'));
  if (value.includes('\u0000'))
    walk.problems.push(problemAt('syntax', path, at, 'the text holds a NUL character'));
};

const refuseSize = (walk: Walk, node: SourceNode, path: ConfigPath): null => {
  const message =
    path.length > maxDepth
      ? `tables and lists are nested deeper than ${maxDepth} levels`
      : `the file has more than ${maxNodes} keys and values`;
  if (!walk.problems.some((problem) => problem.message === message))
    walk.problems.push(problemAt('too_large', [], node.at, message));
  return null;
};
