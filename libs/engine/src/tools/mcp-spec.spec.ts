import { describe, expect, it } from 'vitest';
import { effectNames } from '@lockstep/policy';
import { samplePolicy } from '../testing/index.ts';
import { mcpSpec, type ListedTool } from './mcp-spec.ts';
import { specDigest } from './spec-digest.ts';

const { mcp } = samplePolicy();
const listed = (change: Partial<ListedTool> = {}): ListedTool => ({
  name: 'read_text_file',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  ...change,
});

describe('given what config declares', () => {
  it('takes effects, operands and repeatability from the policy', () => {
    const content = {
      id: 'mcp:files/read_text_file',
      description: 'Reads a file.',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
      effects: ['read' as const],
      operands: [{ kind: 'path' as const, at: '/path', access: 'read' as const }],
      repeatable: true,
    };
    expect(mcpSpec('files', listed(), mcp)).toEqual({
      ok: true,
      spec: { ...content, alias: 'files__read_text_file', digest: specDigest(content) },
    });
  });

  it.each([['write_file'], ['constructor'], ['__proto__'], ['toString']])(
    'gives the undeclared tool %s every effect and undeclared operands',
    (name) => {
      const made = mcpSpec('files', listed({ name }), mcp);
      expect(made.ok && [made.spec.effects, made.spec.operands, made.spec.repeatable]).toEqual([
        [...effectNames],
        'undeclared',
        false,
      ]);
    },
  );

  it('knows nothing of a server that no bundle holds', () => {
    const made = mcpSpec('other', listed(), mcp);
    expect(made.ok && [made.spec.effects, made.spec.operands]).toEqual([
      [...effectNames],
      'undeclared',
    ]);
  });

  it('does not read the hints of the server', () => {
    const hinted = { ...listed({ name: 'write_file' }), annotations: { readOnlyHint: true } };
    const made = mcpSpec('files', hinted, mcp);
    expect(made.ok && made.spec.effects).toEqual([...effectNames]);
  });
});

describe('given a tool that changes', () => {
  const digest = (change: Partial<ListedTool>): string => {
    const made = mcpSpec('files', listed(change), mcp);
    return made.ok ? made.spec.digest : 'none';
  };
  it('is another tool when its description or its schema changes', () => {
    const all = [
      digest({}),
      digest({ description: 'Reads.' }),
      digest({ inputSchema: { type: 'object' } }),
    ];
    expect(new Set(all).size).toBe(3);
  });
});

const deep = JSON.parse(`${'{"items":'.repeat(65)}{}${'}'.repeat(65)}`) as unknown;
const loop: Record<string, unknown> = {};
loop['self'] = loop;

it.each<[string, Partial<ListedTool>]>([
  ['an empty name', { name: '' }],
  ['a blank in its name', { name: 'read file' }],
  ['a line feed in its name', { name: 'read\nfile' }],
  ['a hidden character in its name', { name: 'read\u202Efile' }],
  ['a very long name', { name: 'x'.repeat(129) }],
  ['no schema', { inputSchema: undefined }],
  ['a schema that is no JSON', { inputSchema: { minimum: Number.NaN } }],
  ['a schema that holds itself', { inputSchema: loop }],
  ['a schema that nests too deep', { inputSchema: deep }],
  ['a lone surrogate in its schema', { inputSchema: { title: '\uD800' } }],
])('does not exist with %s', (_what, change) => {
  expect(mcpSpec('files', listed(change), mcp).ok).toBe(false);
});
