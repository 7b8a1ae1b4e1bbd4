import { describe, expect, it } from 'vitest';
import { digestOf } from '@lockstep/policy';
import type { Facts, Operand, ToolSpec } from '../events/parts.ts';
import {
  sampleCall,
  sampleFacts,
  samplePath,
  samplePolicy,
  sampleState,
  sampleTool,
  type PolicyChanges,
} from '../testing/index.ts';
import { advertise } from '../tools/advertise.ts';
import { aliasTools } from '../tools/alias-tools.ts';
import { builtinSpecs } from '../tools/builtin-specs.ts';
import { mcpSpec } from '../tools/mcp-spec.ts';
import { authorize } from './authorize.ts';
import { matchGrants } from './match-grants.ts';
import type { Verdict } from './verdict.ts';

// What went wrong in other runtimes, each as the smallest case with the right verdict.

const foreign = (server: string, name: string, changes: PolicyChanges = {}): ToolSpec => {
  const made = mcpSpec(
    server,
    { name, inputSchema: { type: 'object' } },
    samplePolicy(changes).mcp,
  );
  if (!made.ok) throw new TypeError(made.message);
  return made.spec;
};

interface Case {
  readonly spec: ToolSpec;
  readonly args?: unknown;
  readonly policy?: PolicyChanges;
  readonly operands?: Operand[];
  readonly facts?: Partial<Facts>;
  readonly expected: string;
}

const tool = (name: string): ToolSpec => sampleTool(name);
const writeArgs = { path: 'a.md', content: 'x' };
const written = [samplePath('a.md', { access: 'write' })];
const declared = (effect: 'read' | 'write'): PolicyChanges => ({
  mcp: { effects: { files: { t: [effect] } }, operands: { files: { t: 'none' } } },
});

const verdictOf = (given: Case): Verdict => {
  const policy = samplePolicy(given.policy);
  const specs = [...builtinSpecs, given.spec];
  const offered = advertise(policy, specs);
  return authorize(
    sampleCall(given.spec, given.args ?? {}),
    sampleFacts(given.spec, { operands: given.operands ?? [], ...given.facts }),
    sampleState(policy, offered),
  );
};
const short = (verdict: Verdict): string => `${verdict.kind} ${verdict.rule}`;

describe('given precedence of rules', () => {
  it.each<[string, Case]>([
    [
      'always_ask asks even under full autonomy',
      {
        spec: tool('file_write'),
        args: writeArgs,
        operands: written,
        policy: { approval: { autonomy: 'full', always_ask: ['builtin:file_write'] } },
        expected: 'ask approval.always_ask',
      },
    ],
    [
      'always_ask without anybody to ask is refused, not run',
      {
        spec: tool('file_write'),
        args: writeArgs,
        operands: written,
        policy: {
          approval: {
            autonomy: 'full',
            always_ask: ['builtin:file_write'],
            route: { approver: 'inbox', on_no_approver: 'deny' },
          },
        },
        expected: 'refuse approval.route.on_no_approver',
      },
    ],
    [
      'what is approved by rule still runs where nobody can be asked',
      {
        spec: tool('file_write'),
        args: writeArgs,
        operands: written,
        policy: {
          approval: {
            auto_approve: [['builtin:file_write']],
            route: { approver: 'inbox', on_no_approver: 'deny' },
          },
        },
        expected: 'allow approval.auto_approve',
      },
    ],
    [
      'auto_approve does not override a restriction on paths',
      {
        spec: tool('file_write'),
        args: { path: '.env', content: 'x' },
        operands: [samplePath('.env', { access: 'write' })],
        policy: { approval: { auto_approve: [['*']] } },
        expected: 'refuse workspace.forbidden_paths',
      },
    ],
    [
      'an argument that claims an approval is none',
      {
        spec: tool('file_write'),
        args: { ...writeArgs, approved: true },
        operands: written,
        expected: 'refuse gate.arguments',
      },
    ],
    [
      'deny wins over an allow list that the model helped to write',
      {
        spec: tool('file_write'),
        args: writeArgs,
        policy: {
          tools: { allowed: [['*'], ['builtin:file_write']], denied: ['builtin:file_write'] },
        },
        expected: 'refuse tools.denied',
      },
    ],
    [
      'a job that narrows its tools cannot reach what it left out',
      {
        spec: tool('file_write'),
        args: writeArgs,
        policy: { tools: { allowed: [['*'], ['builtin:file_read']] } },
        expected: 'refuse tools.allowed',
      },
    ],
    [
      'naming one tool of a server leaves its siblings out',
      {
        spec: foreign('files', 'other'),
        policy: { tools: { allowed: [['mcp:files/t']] } },
        expected: 'refuse tools.allowed',
      },
    ],
    [
      "another agent's server is nothing to this one",
      {
        spec: foreign('other', 't'),
        policy: { approval: { autonomy: 'full' } },
        expected: 'refuse mcp.bundles',
      },
    ],
    [
      'an agent without servers reaches none of them under any autonomy',
      {
        spec: foreign('files', 't'),
        policy: { mcp: { expose: {} }, approval: { autonomy: 'full' } },
        expected: 'refuse mcp.bundles',
      },
    ],
  ])('%s', (_what, given) => {
    expect(short(verdictOf(given))).toBe(given.expected);
  });
});

describe('given a mode that only reads', () => {
  const approval = { autonomy: 'read_only' as const, auto_approve: [['*']] };
  it.each<[string, Case]>([
    [
      'the built-in edit tool writes nothing',
      {
        spec: tool('file_write'),
        args: writeArgs,
        operands: written,
        policy: { approval },
        expected: 'refuse approval.autonomy',
      },
    ],
    [
      'an MCP tool that writes is refused by its effect, not by a name',
      {
        spec: foreign('files', 't', declared('write')),
        policy: { approval, ...declared('write') },
        expected: 'refuse approval.autonomy',
      },
    ],
    [
      'an MCP tool of which nobody knows the effects is refused',
      { spec: foreign('files', 't'), policy: { approval }, expected: 'refuse approval.autonomy' },
    ],
    [
      'an MCP tool that reads may run',
      {
        spec: foreign('files', 't', declared('read')),
        policy: { approval, ...declared('read') },
        expected: 'allow approval.auto_approve',
      },
    ],
    [
      'reaching the network is no reading',
      {
        spec: tool('http_fetch'),
        args: { url: 'https://api.example.com' },
        policy: { approval, network: { allowed_hosts: [['*']] } },
        expected: 'refuse approval.autonomy',
      },
    ],
  ])('%s', (_what, given) => {
    expect(short(verdictOf(given))).toBe(given.expected);
  });
});

describe('given names', () => {
  it('denies a tool under whatever alias a collision gave it', () => {
    const clash = aliasTools([foreign('files', 't.x'), foreign('files', 't_x')]);
    const policy = { tools: { denied: ['mcp:files/t.x'] } };
    const found = clash.map(
      (spec) =>
        `${spec.id} ${short(verdictOf({ spec, policy, facts: { confined: true }, expected: '' }))}`,
    );
    expect(clash.every((spec) => spec.alias !== 'files__t_x')).toBe(true);
    expect(found).toEqual([
      'mcp:files/t.x refuse tools.denied',
      'mcp:files/t_x ask approval.autonomy',
    ]);
  });

  it('does not let a server take the place of a built-in tool', () => {
    const [imposter] = aliasTools([foreign('builtin', 'file_read')]);
    expect(imposter?.id).toBe('mcp:builtin/file_read');
    const policy = { tools: { allowed: [['builtin:*']] } };
    expect(imposter && short(verdictOf({ spec: imposter, policy, expected: '' }))).toBe(
      'refuse mcp.bundles',
    );
  });
});

describe('given a decision of a person', () => {
  const spec = tool('file_write');
  const policy = samplePolicy();
  const facts = sampleFacts(spec, { operands: written });
  const call = sampleCall(spec, writeArgs);
  const asked = authorize(call, facts, sampleState(policy, [spec]));
  const binding = asked.kind === 'ask' ? asked.binding : 'none';
  const approval = { id: 'approval-1', binding };
  const state = sampleState(policy, [spec], { approval });
  const other = { path: 'a.md', content: 'y' };

  it('lets exactly that call through', () => {
    expect(authorize(call, facts, state)).toMatchObject({
      kind: 'allow',
      by: 'approval',
      approval: 'approval-1',
    });
  });

  it.each<[string, () => Verdict]>([
    [
      'arguments',
      () =>
        authorize(
          { ...call, args: { ok: true, value: other }, argsDigest: digestOf(other) },
          facts,
          state,
        ),
    ],
    [
      'content of the file',
      () => {
        const changed = [
          samplePath('a.md', { access: 'write', exists: true, content: 'e'.repeat(64) }),
        ];
        return authorize(call, { ...facts, operands: changed }, state);
      },
    ],
    [
      'place that a link leads to',
      () =>
        authorize(
          call,
          { ...facts, operands: [samplePath('a.md', { access: 'write', real: '/ws/ada/b.md' })] },
          state,
        ),
    ],
    ['agent', () => authorize(call, facts, { ...state, policy: samplePolicy({ agent: 'bob' }) })],
    ['principal', () => authorize(call, facts, { ...state, principal: 'token:eve' })],
    ['session', () => authorize(call, facts, { ...state, session: 'session-ada-2' })],
    [
      'description of the tool',
      () => {
        const renewed = { ...spec, digest: 'f'.repeat(64) };
        return authorize({ ...call, spec: renewed }, { ...facts, spec: renewed.digest }, state);
      },
    ],
  ])('is stale when the %s changed', (_what, judge) => {
    expect(short(judge())).toBe('refuse gate.approval_stale');
  });

  it('is judged again under the policy that holds by now', () => {
    const narrowed = samplePolicy({ tools: { denied: ['builtin:file_write'] } });
    expect(short(authorize(call, facts, { ...state, policy: narrowed }))).toBe(
      'refuse tools.denied',
    );
  });

  it('is not bought from another session or agent by a standing grant', () => {
    const grant = {
      grant: 'grant-1',
      agent: 'ada',
      tool: spec.id,
      spec: spec.digest,
      person: null,
      scope: { kind: 'agent' as const },
      arguments: { kind: 'exact' as const, digest: call.argsDigest },
      expires: 'never' as const,
      by: { principal: 'token:ana', person: null, surface: 'cli' as const },
      approval: 'approval-1',
    };
    const asking = {
      agent: 'ada',
      tool: spec.id,
      spec: spec.digest,
      person: null,
      session: 's',
      argsDigest: call.argsDigest,
      args: null,
      operands: [],
      root: null,
      now: 1,
    };
    expect(matchGrants([grant], asking)).toEqual(['grant-1']);
    expect(matchGrants([grant], { ...asking, agent: 'bob' })).toEqual([]);
    expect(matchGrants([grant], { ...asking, argsDigest: digestOf(other) })).toEqual([]);
  });
});
