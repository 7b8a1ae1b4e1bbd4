import { z } from 'zod';
import { stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import { enforcedKeys } from '../setting-key.ts';
import { registry } from '../surfaces/registry.ts';
import { configSchema } from './config.schema.ts';
import { configJsonSchema } from './json-schema.ts';
import { keysOf, nodesAt, type SchemaNode } from './schema-nodes.ts';
import { parseConfig } from './parse-config.ts';

interface Leaf {
  /** `*` for a free name, a number for an item. */
  readonly place: readonly (string | number)[];
  /** The fixed keys that choose the alternative on the way. */
  readonly kinds: readonly { readonly at: readonly (string | number)[]; readonly value: unknown }[];
}

/** Every leaf of the zod schema, found by walking zod itself and not the JSON Schema made from it. */
const leavesOf = (
  schema: z.core.$ZodType,
  place: Leaf['place'] = [],
  kinds: Leaf['kinds'] = [],
): Leaf[] => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return leavesOf(schema.def.innerType, place, kinds);
  if (schema instanceof z.ZodPrefault) return leavesOf(schema.def.innerType, place, kinds);
  if (schema instanceof z.ZodRecord) return leavesOf(schema.def.valueType, [...place, '*'], kinds);
  if (schema instanceof z.ZodUnion) {
    const tables = schema.def.options.flatMap((option) => leavesOf(option, place, kinds));
    const inner = tables.filter((leaf) => leaf.place.length > place.length);
    return inner.length < tables.length ? [{ place, kinds }, ...inner] : inner;
  }
  if (schema instanceof z.ZodArray) {
    const items = leavesOf(schema.def.element, [...place, 0], kinds);
    return [{ place, kinds }, ...items.filter((leaf) => leaf.place.length > place.length + 1)];
  }
  if (!(schema instanceof z.ZodObject)) return [{ place, kinds }];
  const shape: Record<string, z.core.$ZodType> = schema.def.shape;
  const own = Object.entries(shape).flatMap(([key, value]) =>
    value instanceof z.ZodLiteral ? [{ at: [...place, key], value: value.def.values[0] }] : [],
  );
  return Object.entries(shape).flatMap(([key, value]) =>
    leavesOf(value, [...place, key], [...kinds, ...own]),
  );
};

const named = (place: Leaf['place']) => place.map((part) => (part === '*' ? 'x' : part));

/** Sets a value deep inside plain tables and lists. */
const put = (root: object, place: Leaf['place'], value: unknown): void => {
  let at = root as Record<string | number, unknown>;
  place.slice(0, -1).forEach((part, index) => {
    at[part] ??= typeof place[index + 1] === 'number' ? [] : {};
    at = at[part] as Record<string | number, unknown>;
  });
  at[place.at(-1) ?? ''] = value;
};

const leaves = leavesOf(configSchema);
const texts = (leaf: Leaf) => leaf.place.join('.');
const distinct = [...new Map(leaves.map((leaf) => [JSON.stringify(leaf), leaf])).values()];

describe('every leaf of the schema', () => {
  it('is found, the enforced settings among them', () => {
    const found = new Set(leaves.map(texts));
    for (const key of enforcedKeys.filter((name) => registry[name].layer !== 'agent'))
      for (const section of ['agents', `${registry[key].layer}_profiles`])
        expect(
          [...found].some((text) => text.startsWith(`${section}.*.${registry[key].written}`)),
        ).toBe(true);
    expect(found.size).toBeGreaterThan(100);
  });

  it.each(distinct.map((leaf) => [texts(leaf), leaf] as const))(
    'has a place in the JSON Schema: %s',
    (_, leaf) => {
      const value = {};
      for (const { at, value: kind } of leaf.kinds) put(value, named(at), kind);
      const nodes = nodesAt(configJsonSchema(), named(leaf.place), value);
      expect(nodes.length).toBeGreaterThan(0);
      const parent = nodesAt(configJsonSchema(), named(leaf.place).slice(0, -1), value);
      const last = leaf.place.at(-1);
      if (last !== '*' && typeof last === 'string') expect(keysOf(parent)).toContain(last);
    },
  );

  // Below `output` any JSON is right: what it means is checked by hand.
  const shaped = distinct.filter((leaf) => !texts(leaf).includes('.output.'));
  it.each(shaped.map((leaf) => [texts(leaf), leaf] as const))(
    'is refused a wrong value on its line: %s',
    (_, leaf) => {
      const value = {};
      for (const { at, value: kind } of leaf.kinds) put(value, named(at), kind);
      put(value, named(leaf.place), { wrong: { value: 'here' } });
      const text = stringify(value);
      const parsed = parseConfig({ text, format: 'yaml', file: 'x' });
      const line = text.split('\n').findIndex((written) => written.includes('wrong:')) + 1;
      const problems = parsed.ok ? [] : parsed.problems;
      const at = named(leaf.place).reduce<string>(
        (path, part) =>
          typeof part === 'number' ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`,
        '',
      );
      const own = problems.filter((problem) => problem.path.startsWith(at));
      expect(own.map((problem) => problem.line)).toContain(line);
    },
  );
});

describe('the JSON Schema', () => {
  const properties = (node: SchemaNode, place: string): [string, SchemaNode][] => {
    const inner = [...(node.anyOf ?? []), ...(node.oneOf ?? [])] as SchemaNode[];
    const free = node.additionalProperties;
    return [
      ...inner.flatMap((option) => properties(option, place)),
      ...(typeof free === 'object' ? properties(free, `${place}.*`) : []),
      ...Object.entries(node.properties ?? {}).flatMap(([key, child]) => [
        [`${place}.${key}`, child as SchemaNode] as [string, SchemaNode],
        ...properties(child as SchemaNode, `${place}.${key}`),
      ]),
    ];
  };
  const all = properties(configJsonSchema(), '');

  it('offers both stores', () => {
    expect(all.find(([place]) => place === '.store.type')?.[1].enum).toEqual([
      'sqlite',
      'eventstoredb',
    ]);
  });

  it('explains every enforced setting with its default', () => {
    for (const key of enforcedKeys.filter((name) => registry[name].layer !== 'agent')) {
      const place = `.agents.*.${registry[key].written}`;
      expect(all.find(([at]) => at === place)?.[1].description).toBe(
        `${registry[key].explain} Default: ${registry[key].fallback}.`,
      );
    }
  });
});
