import { describe, expect, it } from 'vitest';
import type { Facts, ToolSpec } from '../events/parts.ts';
import {
  sampleCall,
  sampleFacts,
  samplePath,
  samplePolicy,
  sampleState,
  sampleTool,
  type PolicyChanges,
} from '../testing/index.ts';
import { authorize } from './authorize.ts';
import { bindingOf } from './binding.ts';
import type { GateState, Verdict } from './verdict.ts';

const write = sampleTool('file_write');
const writeArgs = { path: 'a.md', content: 'x' };
const writeFacts = { operands: [samplePath('a.md', { access: 'write' })] };

interface Given {
  readonly policy?: PolicyChanges;
  readonly facts?: Partial<Facts>;
  readonly state?: Partial<GateState>;
  readonly spec?: ToolSpec;
  readonly args?: unknown;
}

const judge = (given: Given = {}): Verdict => {
  const spec = given.spec ?? write;
  const policy = samplePolicy(given.policy);
  return authorize(
    sampleCall(spec, given.args ?? writeArgs),
    sampleFacts(spec, { ...writeFacts, ...given.facts }),
    sampleState(policy, [spec], given.state),
  );
};

const binding = bindingOf({
  agent: 'ada',
  principal: 'token:ana',
  session: 'session-ada-1',
  tool: write.id,
  spec: write.digest,
  argsDigest: sampleCall(write, writeArgs).argsDigest,
  operands: writeFacts.operands,
  destination: 'program',
});

describe('given a call that breaks no rule', () => {
  it('asks a person under supervised autonomy, with the binding of the call', () => {
    expect(judge()).toEqual({
      kind: 'ask',
      rule: 'approval.autonomy',
      pattern: 'supervised',
      why: '`builtin:file_write` has the effects write and the autonomy is supervised',
      binding,
      grantable: true,
    });
  });

  it('allows it under full autonomy', () => {
    expect(judge({ policy: approval({ autonomy: 'full' }) })).toEqual({
      kind: 'allow',
      rule: 'approval.autonomy',
      pattern: 'full',
      why: 'full autonomy asks nobody',
      by: 'autonomy',
      grant: null,
      approval: null,
      binding,
    });
  });

  it('allows it by what a person decided on the same call', () => {
    expect(judge({ state: { approval: { id: 'approval-1', binding } } })).toEqual({
      kind: 'allow',
      rule: 'approval.autonomy',
      pattern: 'supervised',
      why: 'a person decided on the call in `approval-1`',
      by: 'approval',
      grant: null,
      approval: 'approval-1',
      binding,
    });
  });
});

/** Breaks one step each, in the order of the steps; a later step is only reached when all before it hold. */
const steps: readonly (readonly [rule: string, given: Given])[] = [
  ['gate.stopped', { facts: { stopped: true } }],
  ['gate.paused', { facts: { paused: true } }],
  ['gate.unknown_tool', { facts: { spec: 'e'.repeat(64) } }],
  ['tools.denied', { policy: { tools: { denied: ['builtin:file_*'] } } }],
  ['tools.allowed', { policy: { tools: { allowed: [['builtin:time_now']] } } }],
  ['gate.arguments', { args: { path: 'a.md' } }],
  ['approval.autonomy', { policy: approval({ autonomy: 'read_only' }) }],
  [
    'workspace.workspace_only',
    { facts: { operands: [samplePath('/tmp/a.md', { access: 'write', given: 'a.md' })] } },
  ],
  [
    'budgets.max_tool_calls',
    {
      facts: {
        caps: [{ key: 'budgets.max_tool_calls', scope: 'turn-1', cap: 3, used: 2, reserved: 1 }],
      },
    },
  ],
  ['gate.unsettled_outcome', { facts: { unsettled: 'turn-0' } }],
  ['gate.approval_stale', { state: { approval: { id: 'approval-1', binding: 'f'.repeat(64) } } }],
  [
    'approval.route.on_no_approver',
    { policy: approval({ route: { approver: 'inbox', on_no_approver: 'deny' } }) },
  ],
];

function approval(
  change: Partial<ReturnType<typeof samplePolicy>['approval']>,
): Pick<PolicyChanges, 'approval'> {
  return { approval: change };
}

const merged = (a: Given, b: Given): Given => ({
  ...a,
  ...b,
  policy: {
    ...a.policy,
    ...b.policy,
    tools: { ...a.policy?.tools, ...b.policy?.tools },
    approval: { ...a.policy?.approval, ...b.policy?.approval },
  },
  facts: { ...a.facts, ...b.facts },
});

describe('given one broken step', () => {
  it.each(steps)('refuses by %s', (rule, given) => {
    const verdict = judge(given);
    expect([verdict.kind, verdict.rule]).toEqual(['refuse', rule]);
  });

  it.each(steps)('tells the model nothing of the rule %s', (rule, given) => {
    const verdict = judge(given);
    const shown = verdict.kind === 'refuse' ? verdict.shown : '';
    expect(shown).toMatch(/^the call was refused: /);
    expect(shown).not.toContain(rule);
    expect(shown).not.toMatch(/polic|config|autonomy|allow|denied|grant|operator|permission/i);
  });
});

describe('given two broken steps', () => {
  const pairs = steps.flatMap(([first, a], i) =>
    // The two after these both belong to the approval step.
    steps.slice(i + 1, 10).map(([later, b]) => [first, later, merged(b, a)] as const),
  );

  it.each(pairs)('refuses by %s before %s', (first, _later, given) => {
    const { kind, rule } = judge(given);
    expect([kind, rule]).toEqual(['refuse', first]);
  });
});

describe('given a tool that is not offered', () => {
  it('refuses a name that is no tool', () => {
    const verdict = authorize(
      { ...sampleCall(write, writeArgs), alias: 'no_such', spec: null },
      sampleFacts(null),
      sampleState(samplePolicy(), [write]),
    );
    expect(verdict).toEqual({
      kind: 'refuse',
      rule: 'gate.unknown_tool',
      pattern: null,
      why: 'no tool of this agent is called `no_such`',
      shown: 'the call was refused: there is no such tool',
    });
  });

  it('refuses a tool that the policy gives and the model call did not offer', () => {
    const verdict = judge({ state: { advertised: [] } });
    expect([verdict.kind, verdict.rule]).toEqual(['refuse', 'gate.not_advertised']);
  });

  it('names the rule that kept it from being offered', () => {
    const verdict = judge({
      policy: { tools: { denied: ['builtin:file_write'] } },
      state: { advertised: [] },
    });
    expect(verdict).toEqual({
      kind: 'refuse',
      rule: 'tools.denied',
      pattern: 'builtin:file_write',
      why: '`builtin:file_write` is denied by the pattern `builtin:file_write`',
      shown: 'the call was refused: there is no such tool',
    });
  });
});
