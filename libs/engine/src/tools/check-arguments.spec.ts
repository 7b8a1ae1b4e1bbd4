import { describe, expect, it } from 'vitest';
import { digestOf } from '@lockstep/policy';
import type { ToolSpec } from '../events/parts.ts';
import { sampleTool } from '../testing/index.ts';
import { checkArguments, type ArgumentsCheck } from './check-arguments.ts';

const check = (inputSchema: ToolSpec['inputSchema'], args: unknown): ArgumentsCheck =>
  checkArguments(
    { ...sampleTool('time_now'), id: 'mcp:files/x', inputSchema, digest: digestOf(inputSchema) },
    args,
  );

const kind = (found: ArgumentsCheck): string => (found.ok ? 'fits' : found.kind);

describe('given a foreign schema', () => {
  const draft7 = 'http://json-schema.org/draft-07/schema#';
  const latest = 'https://json-schema.org/draft/2020-12/schema';
  it.each<[string, ToolSpec['inputSchema'], unknown, string]>([
    ['fits', { type: 'object' }, {}, 'fits'],
    [
      'names draft-07',
      { $schema: draft7, type: 'array', items: [{ type: 'string' }] },
      [1],
      'mismatch',
    ],
    [
      'names draft 2020-12',
      { $schema: latest, type: 'array', prefixItems: [{ type: 'string' }] },
      [1],
      'mismatch',
    ],
    [
      'holds unknown keywords and formats',
      { type: 'string', format: 'x-own', 'x-note': 1 },
      'a',
      'fits',
    ],
    ['is no object', true, {}, 'unusable'],
    ['is a list', [], {}, 'unusable'],
    ['has a wrong keyword', { type: 'no-such' }, {}, 'unusable'],
    ['names an unknown draft', { $schema: 'http://example.com/x', type: 'object' }, {}, 'unusable'],
    ['refers to another document', { $ref: 'http://example.com/x.json' }, {}, 'unusable'],
    [
      'asks for an asynchronous check',
      { $async: true, type: 'object', required: ['x'] },
      {},
      'unusable',
    ],
    ['has a broken regular expression', { type: 'string', pattern: '(' }, 'a', 'unusable'],
  ])('that %s, judges the arguments', (_what, schema, args, expected) => {
    expect(kind(check(schema, args))).toBe(expected);
  });

  it('takes two schemas that claim the same identity for two', () => {
    const one = { $id: 'http://example.com/tool', type: 'object', required: ['a'] };
    const two = { $id: 'http://example.com/tool', type: 'object', required: ['b'] };
    expect([check(one, { a: 1 }), check(two, { b: 1 })]).toEqual([{ ok: true }, { ok: true }]);
    expect(kind(check(two, { a: 1 }))).toBe('mismatch');
  });

  it('does not let one schema reach into another', () => {
    const shared = 'http://example.com/shared';
    check({ type: 'object', $defs: { s: { $id: shared, type: 'object' } } }, {});
    expect(kind(check({ $ref: shared }, {}))).toBe('unusable');
    check({ $id: 'https://json-schema.org/draft/2020-12/schema', type: 'string' }, 'a');
    expect(kind(check({ type: 'object', minProperties: 1 }, {}))).toBe('mismatch');
  });

  it('follows references inside the schema', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/t' } },
      $defs: { t: { type: 'string' } },
    };
    expect([kind(check(schema, { a: 'x' })), kind(check(schema, { a: 1 }))]).toEqual([
      'fits',
      'mismatch',
    ]);
  });
});

describe('given arguments', () => {
  it('says where they do not fit', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    expect(check(schema, { a: 1 })).toEqual({
      ok: false,
      kind: 'mismatch',
      message: '`/a` must be string',
    });
  });

  it('changes nothing in them', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', default: 'x' }, b: { type: 'string' } },
    };
    const args = { b: 1 };
    expect(kind(check(schema, args))).toBe('mismatch');
    expect(args).toEqual({ b: 1 });
    const absent = {};
    expect(kind(check(schema, absent))).toBe('fits');
    expect(absent).toEqual({});
  });

  it('sees a key called like the prototype', () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    expect(kind(check(schema, JSON.parse('{"__proto__": 1}')))).toBe('mismatch');
  });

  it('refuses what is nested deeper than it can follow', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#' } } };
    let deep: object = {};
    for (let i = 0; i < 200_000; i += 1) deep = { a: deep };
    expect(kind(check(schema, deep))).toBe('mismatch');
  });
});
