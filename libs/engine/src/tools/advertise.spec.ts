import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PolicySnapshot } from '@lockstep/policy';
import type { ToolSpec } from '../events/parts.ts';
import { authorize } from '../gate/authorize.ts';
import {
  sampleCall,
  sampleFacts,
  samplePolicy,
  sampleState,
  type PolicyChanges,
} from '../testing/index.ts';
import { advertise, whyWithheld } from './advertise.ts';
import { builtinSpecs } from './builtin-specs.ts';
import { mcpSpec } from './mcp-spec.ts';

const { mcp } = samplePolicy();
const foreign = (server: string, name: string): ToolSpec => {
  const made = mcpSpec(server, { name, inputSchema: { type: 'object' } }, mcp);
  if (!made.ok) throw new TypeError(made.message);
  return made.spec;
};
const all = [
  ...builtinSpecs,
  foreign('files', 'read_text_file'),
  foreign('files', 'write_file'),
  foreign('other', 'read_text_file'),
];

const offered = (changes: PolicyChanges, specs = all): readonly string[] =>
  advertise(samplePolicy(changes), specs).map((spec) => spec.id);

describe('given a policy', () => {
  it('offers nothing where nothing is allowed', () => {
    expect(offered({ tools: { allowed: [[]] } })).toEqual([]);
  });

  it('offers what every clause allows, sorted by id', () => {
    const allowed = [
      ['builtin:*', 'mcp:files/*'],
      ['builtin:file_read', 'builtin:ask_user', 'mcp:*'],
    ];
    expect(offered({ tools: { allowed } }, all.toReversed())).toEqual([
      'builtin:ask_user',
      'builtin:file_read',
      'mcp:files/read_text_file',
      'mcp:files/write_file',
    ]);
  });

  it('offers nothing that is denied, however it is allowed', () => {
    const tools = { allowed: [['*', 'builtin:file_read']], denied: ['builtin:*', 'mcp:files/w*'] };
    expect(offered({ tools })).toEqual(['mcp:files/read_text_file']);
  });

  it('offers only tools that can be called without an effect but reading under read_only', () => {
    const approval = { autonomy: 'read_only' as const };
    expect(offered({ approval })).toEqual([
      'builtin:ask_user',
      'builtin:cron_list',
      'builtin:file_list',
      'builtin:file_read',
      'builtin:file_search',
      'builtin:time_now',
      'mcp:files/read_text_file',
    ]);
  });

  it('offers no tool of a server that no bundle holds', () => {
    const spec = foreign('other', 'read_text_file');
    expect(whyWithheld(samplePolicy(), spec)?.rule).toBe('mcp.bundles');
  });

  it('does not take the name of an inherited property for a server', () => {
    const spec = foreign('constructor', 'x');
    expect(whyWithheld(samplePolicy(), spec)?.rule).toBe('mcp.bundles');
  });

  it('offers no tool that the server does not expose, however it is allowed', () => {
    const changes = { mcp: { expose: { files: [['read_*']] } } };
    expect(offered(changes)).toContain('mcp:files/read_text_file');
    expect(whyWithheld(samplePolicy(changes), foreign('files', 'write_file'))?.rule).toBe(
      'mcp.expose',
    );
  });

  it('keeps the siblings of an allowed MCP tool out', () => {
    const tools = { allowed: [['mcp:files/read_text_file']] };
    expect(offered({ tools })).toEqual(['mcp:files/read_text_file']);
  });
});

/** Rules of the steps that decide what is offered. */
const early = new Set([
  'gate.unknown_tool',
  'gate.not_advertised',
  'tools.denied',
  'tools.allowed',
  'mcp.bundles',
  'mcp.expose',
  'approval.autonomy',
  'memory.backend',
  'memory.writable',
  'delegation.mode',
  'delegation.delegates',
  'delegation.max_depth',
  'delegation.spawn',
  'delegation.sops',
  'channels.peers',
  'skills.bundles',
  'shell.allowed_commands',
]);

it('offers exactly the tools that the gate can let through these steps for some arguments', () => {
  const pattern = fc.constantFrom(
    '*',
    'builtin:*',
    'builtin:file_*',
    'builtin:http_fetch',
    'mcp:*',
    'mcp:files/*',
    'mcp:files/read_text_file',
    '*read*',
  );
  const clause = fc.uniqueArray(pattern, { maxLength: 3 });
  const policies: fc.Arbitrary<PolicySnapshot> = fc
    .record({
      allowed: fc.array(clause, { minLength: 1, maxLength: 3 }),
      denied: fc.uniqueArray(pattern, { maxLength: 2 }),
      autonomy: fc.constantFrom('read_only' as const, 'supervised' as const, 'full' as const),
      expose: fc.constantFrom<PolicySnapshot['mcp']['expose']>(
        {},
        { files: [['*']] },
        { files: [['read_*']] },
      ),
    })
    .map(({ allowed, denied, autonomy, expose }) =>
      samplePolicy({ tools: { allowed, denied }, approval: { autonomy }, mcp: { expose } }),
    );
  // Arguments with the least effects of each tool; what they hold otherwise is judged in later steps.
  const args: Readonly<Record<string, object>> = {
    'builtin:ask_user': { question: 'x' },
    'builtin:file_edit': { path: 'a', old_text: 'x', new_text: 'y' },
    'builtin:file_list': { path: 'a' },
    'builtin:file_read': { path: 'a' },
    'builtin:file_search': { pattern: 'a' },
    'builtin:file_write': { path: 'a', content: 'x' },
    'builtin:http_fetch': { url: 'https://api.example.com' },
  };
  fc.assert(
    fc.property(policies, fc.constantFrom(...all), (policy, spec) => {
      const state = sampleState(policy, advertise(policy, all));
      const verdict = authorize(sampleCall(spec, args[spec.id] ?? {}), sampleFacts(spec), state);
      const passed = !(verdict.kind === 'refuse' && early.has(verdict.rule));
      expect(passed).toBe(state.advertised.includes(spec.id));
    }),
    { numRuns: 500 },
  );
});
