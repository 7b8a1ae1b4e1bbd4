import { describe, expect, it } from 'vitest';
import type { ToolSpec } from '../events/parts.ts';
import {
  sampleCall,
  sampleFacts,
  samplePolicy,
  sampleState,
  sampleTool,
} from '../testing/index.ts';
import { specDigest } from '../tools/spec-digest.ts';
import { advertise } from '../tools/advertise.ts';
import { authorize } from './authorize.ts';
import { judgeSkill, type SkillOperand } from './skill-operand.ts';
import type { GateState } from './verdict.ts';

const digest = 'a'.repeat(64);
const skill = (change: Partial<SkillOperand> = {}): SkillOperand => ({
  kind: 'skill',
  given: 'notes',
  bundle: 'writing',
  digest,
  ...change,
});
const policyWith = (scripts: boolean, sandbox: 'required' | 'off' = 'required') =>
  samplePolicy({
    tools: { allowed: [['*']], denied: [] },
    approval: { autonomy: 'full', auto_approve: [['*']] },
    skills: { bundles: ['writing'], allow_scripts: scripts, prompt_mode: 'compact' },
    shell: { allowed_commands: [[]], env_passthrough: [], block_high_risk: true, sandbox },
  });
const reads = { tool: 'builtin:skill_read', confined: false };
const runs = { tool: 'skill:notes/count', confined: true };

describe('given a skill that a call reads or runs', () => {
  it.each<[string, Parameters<typeof judgeSkill>, string | undefined]>([
    ['a skill of its bundle', [policyWith(false), skill(), reads], undefined],
    [
      'no such skill',
      [policyWith(false), skill({ bundle: null, digest: null }), reads],
      'skills.bundles',
    ],
    [
      'a skill of another bundle',
      [policyWith(false), skill({ bundle: 'other' }), reads],
      'skills.bundles',
    ],
    ['a script', [policyWith(true), skill(), runs], undefined],
    ['a script where none may run', [policyWith(false), skill(), runs], 'skills.allow_scripts'],
    [
      'a script of another skill',
      [policyWith(true), skill({ given: 'note' }), runs],
      'skills.bundles',
    ],
    [
      'a script without a sandbox',
      [policyWith(true), skill(), { ...runs, confined: false }],
      'shell.sandbox',
    ],
    [
      'the same where the sandbox is off',
      [policyWith(true, 'off'), skill(), { ...runs, confined: false }],
      undefined,
    ],
  ])('judges %s', (_what, given, rule) => {
    expect(judgeSkill(...given)?.rule).toBe(rule);
  });

  it('refuses a script that nobody looked at, and offers none where none may run', () => {
    const spec = script();
    expect(advertise(policyWith(false), [spec])).toEqual([]);
    expect(advertise(policyWith(true), [spec])).toEqual([spec]);
    const verdict = authorize(
      sampleCall(spec, { args: [] }),
      sampleFacts(spec, { confined: true }),
      sampleState(policyWith(true), [spec]),
    );
    expect(verdict).toMatchObject({ kind: 'refuse', rule: 'skills.bundles' });
  });
});

const inUse = (name: string, tools: string[] | null): GateState['skills'][number] => ({
  skill: name,
  tools,
});

describe('given skills that are in use', () => {
  const judged = (skills: GateState['skills'], offered = true) => {
    const tool = sampleTool('time_now');
    const state = sampleState(policyWith(true), offered ? [tool] : [], { skills });
    return authorize(sampleCall(tool, {}), sampleFacts(tool), state);
  };

  it.each<[string, GateState['skills'], string]>([
    ['none', [], 'allow'],
    ['one that says nothing of tools', [inUse('a', null)], 'allow'],
    ['one that names the tool', [inUse('a', ['time_now'])], 'allow'],
    ['one that names a pattern on it', [inUse('a', ['builtin:time_*'])], 'allow'],
    ['one that names others', [inUse('a', ['file_read'])], 'refuse'],
    ['one that names none', [inUse('a', [])], 'refuse'],
    ['two of which one names others', [inUse('a', ['*']), inUse('b', ['file_read'])], 'refuse'],
  ])('judges a call beside %s', (_what, skills, kind) => {
    expect(judged(skills).kind).toBe(kind);
  });

  it('names the skill that keeps a tool away, offered or not', () => {
    for (const offered of [true, false])
      expect(judged([inUse('a', ['file_read'])], offered)).toMatchObject({
        rule: 'gate.skill_tools',
        pattern: 'a',
        why: 'the skill `a` is in use and does not name `builtin:time_now`',
      });
  });

  it('never open what the policy keeps away', () => {
    const tool = sampleTool('time_now');
    const policy = samplePolicy({ tools: { allowed: [['*']], denied: ['builtin:time_now'] } });
    const state = sampleState(policy, [tool], { skills: [inUse('a', ['time_now'])] });
    expect(authorize(sampleCall(tool, {}), sampleFacts(tool), state)).toMatchObject({
      kind: 'refuse',
      rule: 'tools.denied',
    });
  });

  it('leave reading a further skill open', () => {
    const tool = sampleTool('skill_read');
    const verdict = authorize(
      sampleCall(tool, { skill: 'notes' }),
      sampleFacts(tool, { operands: [skill()] }),
      sampleState(policyWith(true), [tool], { skills: [inUse('a', [])] }),
    );
    expect(verdict.kind).toBe('allow');
  });
});

function script(): ToolSpec {
  const spec: Omit<ToolSpec, 'alias' | 'digest'> = {
    id: 'skill:notes/count',
    description: 'Counts.',
    inputSchema: { type: 'object' },
    effects: ['execute'],
    operands: [{ kind: 'skill', at: '' }],
    repeatable: false,
  };
  return { ...spec, alias: 'notes__count', digest: specDigest(spec) };
}
