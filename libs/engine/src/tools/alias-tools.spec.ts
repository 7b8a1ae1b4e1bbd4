import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOfText } from '@lockstep/policy';
import { toolSpecSchema, type ToolSpec } from '../events/parts.ts';
import { sampleTool } from '../testing/index.ts';
import { aliasTools } from './alias-tools.ts';

const tool = (id: string, digest = digestOfText(id)): ToolSpec => ({
  ...sampleTool('time_now'),
  id,
  digest,
});
const aliases = (...ids: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(aliasTools(ids.map((id) => tool(id))).map((spec) => [spec.id, spec.alias]));

describe('given tools whose names differ', () => {
  it('calls them after their own names', () => {
    expect(aliases('builtin:file_read', 'mcp:files/read_text_file', 'mcp:a/b.c/d')).toEqual({
      'builtin:file_read': 'file_read',
      'mcp:a/b.c/d': 'a__b_c_d',
      'mcp:files/read_text_file': 'files__read_text_file',
    });
  });
});

describe('given names that would be equal', () => {
  it('parts all of them by a digest of their ids', () => {
    const [dot, line] = ['mcp:a/x.y', 'mcp:a/x_y'];
    expect(aliases(dot, line)).toEqual({
      [dot]: `a__x_y_${digestOfText(dot).slice(0, 8)}`,
      [line]: `a__x_y_${digestOfText(line).slice(0, 8)}`,
    });
  });

  it('parts server and tool names that run together', () => {
    const found = aliases('mcp:a/b__c', 'mcp:a__b/c');
    expect(new Set(Object.values(found)).size).toBe(2);
  });

  it('parts a name that copies the suffix of another', () => {
    const victim = 'mcp:a/x.y';
    const copy = `mcp:a/x_y_${digestOfText(victim).slice(0, 8)}`;
    const found = aliases(victim, 'mcp:a/x_y', copy);
    expect(new Set(Object.values(found)).size).toBe(3);
  });

  it('cuts a long name and keeps it apart', () => {
    const long = 'x'.repeat(80);
    const found = aliases(`mcp:a/${long}1`, `mcp:a/${long}2`);
    expect(Object.values(found).map((alias) => alias.length)).toEqual([64, 64]);
    expect(new Set(Object.values(found)).size).toBe(2);
  });
});

describe('given one id twice', () => {
  it('keeps one of equal tools', () => {
    expect(aliasTools([tool('mcp:a/x'), tool('mcp:a/x')])).toHaveLength(1);
  });

  it('leaves out both of different ones', () => {
    const twice = [tool('mcp:a/x'), tool('mcp:a/x', 'e'.repeat(64)), tool('mcp:a/x')];
    expect(aliasTools(twice)).toEqual([]);
  });
});

it('gives every set of ids names that providers accept, one to one, whatever the order', () => {
  const name = fc.string({
    unit: fc.constantFrom('a', '_', '.', '-', '/', 'B'),
    minLength: 1,
    maxLength: 70,
  });
  const id = fc
    .tuple(fc.constantFrom('a', 'a_', 'b'), name)
    .map(([server, tool_]) => `mcp:${server}/${tool_}`);
  fc.assert(
    fc.property(fc.uniqueArray(id, { maxLength: 12 }), (ids) => {
      const found = aliasTools(ids.map((one) => tool(one)));
      expect(found).toHaveLength(ids.length);
      expect(new Set(found.map((spec) => spec.alias)).size).toBe(ids.length);
      found.forEach((spec) => toolSpecSchema.parse(spec));
      expect(aliasTools(ids.toReversed().map((one) => tool(one)))).toEqual(found);
    }),
  );
});
