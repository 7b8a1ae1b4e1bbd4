import { describe, expect, it } from 'vitest';
import { effectNames, type Effect, type PolicySnapshot } from '@lockstep/policy';
import type { Facts, ToolSpec } from '../events/parts.ts';
import { sampleFacts, samplePath, samplePolicy, sampleTool } from '../testing/index.ts';
import { mcpSpec } from '../tools/mcp-spec.ts';
import { judgeOperands } from './operands.ts';

const judge = (
  spec: ToolSpec,
  args: unknown,
  given: {
    facts?: Partial<Facts>;
    effects?: readonly Effect[];
    mcp?: Partial<PolicySnapshot['mcp']>;
  } = {},
): string => {
  const { facts = {}, effects = spec.effects, mcp = {} } = given;
  const found = judgeOperands(samplePolicy({ mcp }), sampleFacts(spec, facts), {
    spec,
    args,
    effects,
  });
  return found === null ? 'passes' : found.rule;
};

const mcpTool = (name: string): ToolSpec => {
  const made = mcpSpec('files', { name, inputSchema: { type: 'object' } }, samplePolicy().mcp);
  if (!made.ok) throw new TypeError(made.message);
  return made.spec;
};

describe('given declared operands', () => {
  const read = sampleTool('file_read');
  const edit = sampleTool('file_edit');

  it('lets a call pass when every operand was looked at', () => {
    expect(judge(read, { path: 'a' }, { facts: { operands: [samplePath('a')] } })).toBe('passes');
  });

  it.each([
    ['nothing', []],
    ['another path', [samplePath('b')]],
    ['a read where it writes', [samplePath('a', { access: 'read' })]],
  ])('refuses when %s was looked at', (_what, operands) => {
    const args = { path: 'a', old_text: 'x', new_text: 'y' };
    expect(judge(edit, args, { facts: { operands } })).toBe('workspace.workspace_only');
  });

  it('refuses an address that nobody looked at', () => {
    const fetch = sampleTool('http_fetch');
    expect(judge(fetch, { url: 'https://api.example.com' })).toBe('network.allowed_hosts');
  });

  it('judges every operand', () => {
    const operands = [samplePath('a'), samplePath('/tmp/b')];
    expect(judge(read, { path: 'a' }, { facts: { operands } })).toBe('workspace.workspace_only');
  });

  it('lets an optional operand be absent', () => {
    expect(judge(sampleTool('file_search'), { pattern: 'x' })).toBe('passes');
  });

  it('has nothing to judge for a tool without operands', () => {
    expect(judge(sampleTool('time_now'), {}, { facts: { roots: null } })).toBe('passes');
  });
});

describe('given undeclared operands', () => {
  const tool = mcpTool('anything');

  it.each(effectNames.map((effect) => [effect] as const))('judges a tool that can %s', (effect) => {
    const touches = ['read', 'write', 'execute', 'network'].includes(effect);
    expect(judge(tool, {}, { effects: [effect] })).toBe(touches ? 'mcp.operands' : 'passes');
  });

  it('refuses a tool that might do anything', () => {
    expect(judge(tool, {})).toBe('mcp.operands');
  });

  it('lets it pass in a sandbox of exactly the effective roots and without network', () => {
    expect(judge(tool, {}, { facts: { confined: true } })).toBe('passes');
  });

  it('refuses it in a sandbox whose network is open', () => {
    const servers = {
      files: { transport: 'stdio' as const, digest: 'a'.repeat(64), network: true },
    };
    const given = { facts: { confined: true }, mcp: { servers } };
    expect(judge(tool, {}, given)).toBe('mcp.operands');
    expect(judge(tool, {}, { ...given, effects: ['read', 'write'] })).toBe('passes');
  });

  it('believes the machine that it found an undeclared operand', () => {
    const read = mcpTool('read_text_file');
    const facts = { operands: [{ kind: 'undeclared' as const }] };
    expect(judge(read, {}, { facts })).toBe('mcp.operands');
  });

  it('lets a tool pass that config says has none', () => {
    const none = { ...tool, operands: 'none' as const };
    expect(judge(none, {})).toBe('passes');
  });
});
