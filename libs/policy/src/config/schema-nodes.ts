import type { z } from 'zod';
import { isTable } from './document.ts';
import { didYouMean } from './nearest.ts';
import type { ConfigPath } from './problem.ts';

/** One node of a JSON Schema as zod writes it. */
export type SchemaNode = z.core.JSONSchema.BaseSchema;

/** The alternatives that a schema allows at a path of `value`; a table that names its kind leaves the alternatives of that kind. */
export const nodesAt = (root: SchemaNode, path: ConfigPath, value: unknown): SchemaNode[] => {
  let nodes = alternatives(root);
  let current = value;
  for (const part of path) {
    nodes = ofKind(nodes, current)
      .flatMap((node) => childOf(node, part))
      .flatMap(alternatives);
    current = childValue(current, part);
  }
  return ofKind(nodes, current);
};

/** The keys that the alternatives name; none for tables with free names. */
export const keysOf = (nodes: readonly SchemaNode[]): string[] => [
  ...new Set(nodes.flatMap((node) => Object.keys(node.properties ?? {}))),
];

/** What the alternatives expect, in words: `a whole number from 1 or "unlimited"`. */
export const expectation = (nodes: readonly SchemaNode[]): string =>
  joinOr([...new Set(nodes.flatMap(describeNode))]);

/** What stands there instead, as the tail of a message, or nothing when its kind is right. Texts are shown only where a fixed word
 * was expected: elsewhere one could be a secret. */
export const shownInstead = (nodes: readonly SchemaNode[], value: unknown): string => {
  const words = nodes.flatMap(wordsOf);
  const types = nodes.map((node) => node.type);
  if (typeof value === 'string') {
    if (words.length > 0 && value.length <= 40)
      return `, not \`${value}\`${didYouMean(value, words)}`;
    return types.includes('string') ? '' : ', not a text';
  }
  if (typeof value === 'number')
    return types.some((type) => type === 'integer' || type === 'number')
      ? `, not \`${value}\``
      : ', not a number';
  if (typeof value === 'boolean') return `, not \`${String(value)}\``;
  if (value === null) return ', not an empty value';
  if (Array.isArray(value)) return types.includes('array') ? '' : ', not a list';
  return types.includes('object') ? '' : ', not a table';
};

export const joinOr = (parts: readonly string[]): string =>
  parts.length < 2
    ? (parts[0] ?? 'nothing')
    : `${parts.slice(0, -1).join(', ')} or ${parts.at(-1) ?? ''}`;

const alternatives = (node: SchemaNode): SchemaNode[] => {
  const inner = [...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  return inner.length === 0 ? [node] : inner.flatMap(alternatives);
};

/** All of them when none fits: then the kind itself is what is wrong. */
const ofKind = (nodes: SchemaNode[], value: unknown): SchemaNode[] => {
  const fitting = nodes.filter((node) => admitsKind(node, value));
  return fitting.length === 0 ? nodes : fitting;
};

const admitsKind = (node: SchemaNode, value: unknown): boolean => {
  if (!isTable(value) || node.properties === undefined) return true;
  return Object.entries(node.properties).every(([key, property]) => {
    const fixed = isTable(property) ? property['const'] : undefined;
    return fixed === undefined || !Object.hasOwn(value, key) || value[key] === fixed;
  });
};

const childOf = (node: SchemaNode, part: string | number): SchemaNode[] => {
  const items = typeof part === 'number' ? node.items : undefined;
  if (isTable(items)) return [items];
  if (typeof part === 'number') return [];
  const named = Object.hasOwn(node.properties ?? {}, part) ? node.properties?.[part] : undefined;
  const child = named ?? node.additionalProperties;
  return isTable(child) ? [child] : [];
};

const childValue = (value: unknown, part: string | number): unknown => {
  if (Array.isArray(value)) return typeof part === 'number' ? (value[part] as unknown) : undefined;
  return isTable(value) && Object.hasOwn(value, part) ? value[part] : undefined;
};

const wordsOf = (node: SchemaNode): string[] =>
  [node.const, ...(node.enum ?? [])].filter((word) => typeof word === 'string');

const describeNode = (node: SchemaNode): string[] => {
  const words = wordsOf(node);
  if (words.length > 0) return words.map((word) => `\`"${word}"\``);
  switch (node.type) {
    case 'integer':
      return [`a whole number${range(node)}`];
    case 'number':
      return [`a number${range(node)}`];
    case 'boolean':
      return ['`true`', '`false`'];
    case 'array':
      return [node.maxItems === undefined ? 'a list' : `a list of at most ${node.maxItems}`];
    case 'object':
      return [`a table${withKeys(node.required ?? [])}`];
    case 'string':
      return [textKind(node)];
    case 'null':
    case undefined:
      return ['a value'];
  }
  return ['a value'];
};

const textKind = (node: SchemaNode): string => {
  if (node.format === 'uri') return 'a URL';
  if (node.pattern !== undefined) return `a text that matches \`${node.pattern}\``;
  if (node.maxLength !== undefined) return `a text of 1 to ${node.maxLength} characters`;
  return (node.minLength ?? 0) > 0 ? 'a text that is not empty' : 'a text';
};

const range = (node: SchemaNode): string => {
  const from = node.minimum ?? Number.MIN_SAFE_INTEGER;
  const to = node.maximum ?? Number.MAX_SAFE_INTEGER;
  const low = from === Number.MIN_SAFE_INTEGER ? '' : ` from ${from}`;
  return `${low}${to === Number.MAX_SAFE_INTEGER ? '' : ` to ${to}`}`;
};

const withKeys = (keys: readonly string[]): string =>
  keys.length === 0 ? '' : ` with ${keys.map((key) => `\`${key}\``).join(' and ')}`;
