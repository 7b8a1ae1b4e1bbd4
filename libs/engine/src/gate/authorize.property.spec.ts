import fc from 'fast-check';
import { expect, it } from 'vitest';
import { digestOf, type PolicySnapshot } from '@lockstep/policy';
import type { Facts, Operand, ToolSpec } from '../events/parts.ts';
import {
  sampleCall,
  sampleFacts,
  samplePath,
  samplePolicy,
  sampleRoots,
  sampleState,
  sampleTool,
} from '../testing/index.ts';
import { builtinSpecs } from '../tools/builtin-specs.ts';
import { mcpSpec } from '../tools/mcp-spec.ts';
import { authorize } from './authorize.ts';
import type { GateCall, GateState, Verdict } from './verdict.ts';

const write = sampleTool('file_write');
const args = { path: 'a.md', content: 'x' };
const operands = [samplePath('a.md', { access: 'write' })];

const pattern = fc.constantFrom(
  '*',
  'builtin:*',
  'builtin:file_write',
  '*write*',
  'mcp:*',
  'builtin:time_now',
);
const clauses = fc.array(fc.uniqueArray(pattern, { maxLength: 3 }), { minLength: 1, maxLength: 3 });
const covers = (one: string): boolean =>
  ['*', 'builtin:*', 'builtin:file_write', '*write*'].includes(one);

const policyOf = fc
  .record({
    allowed: clauses,
    denied: fc.array(pattern, { maxLength: 4 }),
    auto_approve: clauses,
    always_ask: fc.array(pattern, { maxLength: 3 }),
    autonomy: fc.constantFrom('read_only' as const, 'supervised' as const, 'full' as const),
    on_no_approver: fc.constantFrom('queue' as const, 'deny' as const),
  })
  .map(({ allowed, denied, auto_approve, always_ask, autonomy, on_no_approver }) =>
    samplePolicy({
      tools: { allowed, denied },
      approval: {
        auto_approve,
        always_ask,
        autonomy,
        route: { approver: 'inbox', on_no_approver },
      },
    }),
  );
const grantsOf = fc.constantFrom<string[]>([], ['grant-1']);

/** The verdict when a person, if asked, decided on exactly this call. */
const approved = (policy: PolicySnapshot, facts: Facts, call: GateCall): Verdict => {
  const asking = authorize(
    call,
    facts,
    sampleState(samplePolicy({ approval: { always_ask: ['*'] } }), [write]),
  );
  const binding = asking.kind === 'refuse' ? 'none' : asking.binding;
  return authorize(
    call,
    facts,
    sampleState(policy, [write], { approval: { id: 'approval-1', binding } }),
  );
};

it('lets deny decide over every order of rules, modes, grants and approvals', () => {
  fc.assert(
    fc.property(policyOf, grantsOf, fc.boolean(), (policy, grants, decided) => {
      const facts = sampleFacts(write, { operands, grants });
      const call = sampleCall(write, args);
      const verdict = decided
        ? approved(policy, facts, call)
        : authorize(call, facts, sampleState(policy, [write]));
      const denied = policy.tools.denied.some(covers);
      const allowed = policy.tools.allowed.every((clause) => clause.some(covers));
      if (denied) expect(verdict).toMatchObject({ kind: 'refuse', rule: 'tools.denied' });
      else if (!allowed) expect(verdict).toMatchObject({ kind: 'refuse', rule: 'tools.allowed' });
      else if (policy.approval.autonomy === 'read_only')
        expect(verdict).toMatchObject({ kind: 'refuse', rule: 'approval.autonomy' });
      else if (decided) expect(verdict).toMatchObject({ kind: 'allow', by: 'approval' });
      else if (policy.approval.always_ask.some(covers)) expect(verdict.kind).not.toBe('allow');
    }),
    { numRuns: 1_000 },
  );
});

it('never lets an approval override an operand or a budget', () => {
  const broken: readonly (readonly [string, Partial<Facts>])[] = [
    [
      'workspace.forbidden_paths',
      { operands: [samplePath('.env', { access: 'write', given: 'a.md' })] },
    ],
    [
      'workspace.workspace_only',
      { operands: [samplePath('/tmp/x', { access: 'write', given: 'a.md' })] },
    ],
    [
      'budgets.max_tool_calls',
      {
        operands,
        caps: [{ key: 'budgets.max_tool_calls', scope: 't', cap: 0, used: 0, reserved: 0 }],
      },
    ],
    ['gate.stopped', { operands, stopped: true }],
  ];
  fc.assert(
    fc.property(policyOf, fc.constantFrom(...broken), (policy, [rule, facts]) => {
      const open = samplePolicy({ approval: { ...policy.approval, autonomy: 'full' } });
      const verdict = approved(
        open,
        sampleFacts(write, { ...facts, grants: ['grant-1'] }),
        sampleCall(write, args),
      );
      expect(verdict).toMatchObject({ kind: 'refuse', rule });
    }),
  );
});

it('gives the same verdict whatever order the patterns stand in', () => {
  const turned = (policy: PolicySnapshot): PolicySnapshot =>
    samplePolicy({
      tools: {
        allowed: policy.tools.allowed.toReversed().map((clause) => clause.toReversed()),
        denied: policy.tools.denied.toReversed(),
      },
      approval: {
        ...policy.approval,
        auto_approve: policy.approval.auto_approve
          .toReversed()
          .map((clause) => clause.toReversed()),
        always_ask: policy.approval.always_ask.toReversed(),
      },
    });
  fc.assert(
    fc.property(policyOf, grantsOf, (policy, grants) => {
      const facts = sampleFacts(write, { operands, grants });
      const call = sampleCall(write, args);
      const before = authorize(call, facts, sampleState(policy, [write]));
      const after = authorize(call, facts, sampleState(turned(policy), [write]));
      expect([after.kind, after.rule]).toEqual([before.kind, before.rule]);
    }),
  );
});

it('is not moved by anything that a model adds to the arguments', () => {
  const open = mcpSpec(
    'files',
    { name: 'read_text_file', inputSchema: { type: 'object' } },
    samplePolicy().mcp,
  );
  if (!open.ok) throw new TypeError(open.message);
  const { spec } = open;
  const claim = fc.constantFrom(
    'approved',
    'approval',
    'grant',
    'autonomy',
    'policy',
    'binding',
    'force',
    'effects',
    'rule',
  );
  fc.assert(
    fc.property(policyOf, fc.dictionary(claim, fc.jsonValue()), (policy, claims) => {
      const facts = sampleFacts(spec, { operands: [samplePath('a.md')] });
      const state = sampleState(policy, [spec]);
      const plain = authorize(sampleCall(spec, { path: 'a.md' }), facts, state);
      const claimed = authorize(sampleCall(spec, { ...claims, path: 'a.md' }), facts, state);
      expect([claimed.kind, claimed.rule, claimed.pattern]).toEqual([
        plain.kind,
        plain.rule,
        plain.pattern,
      ]);
    }),
  );
});

it('narrows when a clause, a denied or an always-asked pattern is added', () => {
  const rank = { refuse: 0, ask: 1, allow: 2 } as const;
  fc.assert(
    fc.property(
      policyOf,
      grantsOf,
      pattern,
      fc.uniqueArray(pattern, { maxLength: 2 }),
      (policy, grants, one, clause) => {
        const facts = sampleFacts(write, { operands, grants });
        const verdict = (changed: PolicySnapshot): number =>
          rank[authorize(sampleCall(write, args), facts, sampleState(changed, [write])).kind];
        const before = verdict(policy);
        const { tools, approval } = policy;
        const narrower = [
          samplePolicy({ approval, tools: { ...tools, denied: [...tools.denied, one] } }),
          samplePolicy({ approval, tools: { ...tools, allowed: [...tools.allowed, clause] } }),
          samplePolicy({
            tools,
            approval: { ...approval, always_ask: [...approval.always_ask, one] },
          }),
          samplePolicy({
            tools,
            approval: { ...approval, auto_approve: [...approval.auto_approve, clause] },
          }),
        ];
        for (const changed of narrower) expect(verdict(changed)).toBeLessThanOrEqual(before);
      },
    ),
    { numRuns: 300 },
  );
});

const odd = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '/', '..', '/ws/ada/a', '/ws/bob/x', '/etc', '/data', '**/'),
);
const anyOperand: fc.Arbitrary<Operand> = fc.oneof(
  fc.record({
    kind: fc.constant('path' as const),
    access: fc.constantFrom('read' as const, 'write' as const, 'read_write' as const),
    given: odd,
    lexical: odd,
    real: fc.option(odd),
    exists: fc.boolean(),
    content: fc.option(fc.constant('e'.repeat(64))),
  }),
  fc.record({
    kind: fc.constant('url' as const),
    given: odd,
    scheme: fc.oneof(fc.constantFrom('https', 'http'), odd),
    host: odd,
    port: fc.integer(),
    method: odd,
    addresses: fc.array(fc.record({ address: odd, private: fc.boolean() }), { maxLength: 2 }),
  }),
  fc.constant({ kind: 'undeclared' as const }),
);
const anySpec: fc.Arbitrary<ToolSpec> = fc.oneof(
  fc.constantFrom(...builtinSpecs),
  fc
    .record({
      id: fc.oneof(
        odd,
        odd.map((name) => `mcp:files/${name}`),
        odd.map((name) => `builtin:${name}`),
      ),
      inputSchema: fc.jsonValue() as fc.Arbitrary<ToolSpec['inputSchema']>,
      operands: fc.oneof(
        fc.constantFrom('undeclared' as const, 'none' as const),
        fc.array(fc.record({ kind: fc.constant('url' as const), at: odd.map((at) => `/${at}`) }), {
          maxLength: 2,
        }),
      ),
    })
    .map((given) => ({ ...sampleTool('time_now'), ...given, digest: digestOf(given.id.length) })),
);

it('has a verdict for whatever a model, a tool and a machine may say', () => {
  fc.assert(
    fc.property(
      anySpec,
      fc.oneof(fc.jsonValue(), fc.anything()),
      fc.array(anyOperand, { maxLength: 3 }),
      policyOf,
      fc.record({
        offered: fc.boolean(),
        roots: fc.boolean(),
        unrestricted: fc.boolean(),
        confined: fc.boolean(),
      }),
      (spec, value, found, policy, flags) => {
        const call: GateCall = {
          call: 'c',
          alias: 'x',
          spec,
          args: { ok: true, value },
          argsDigest: 'b'.repeat(64),
        };
        const facts = sampleFacts(spec, {
          operands: found,
          roots: flags.roots ? sampleRoots() : null,
          confined: flags.confined,
        });
        const open = samplePolicy({
          tools: policy.tools,
          approval: policy.approval,
          network: { allowed_hosts: [['*']] },
          workspace: {
            workspace_only: !flags.unrestricted,
            unrestricted_filesystem: flags.unrestricted,
          },
        });
        const state: GateState = sampleState(open, flags.offered ? [spec] : []);
        const verdict = authorize(call, facts, state);
        expect(['allow', 'ask', 'refuse']).toContain(verdict.kind);
        expect(verdict.why).not.toBe('');
        if (!flags.offered) expect(verdict.kind).toBe('refuse');
      },
    ),
    { numRuns: 1_000 },
  );
});
