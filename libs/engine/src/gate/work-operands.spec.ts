import type { PolicySnapshot } from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import { samplePolicy } from '../testing/sample-policy.ts';
import { judgeJob } from './job-operand.ts';
import { judgeSop } from './sop-operand.ts';

const job = { kind: 'job', given: 'nightly', owner: null, fixed: false } as const;
const delegation: PolicySnapshot['delegation'] = {
  mode: 'allow',
  delegates: {},
  max_depth: 3,
  spawn: false,
  sops: ['release'],
};
const policy = samplePolicy({ delegation });
const agent = policy.agent;

describe('given a job that a call names', () => {
  it('lets an agent make a new one, and end its own', () => {
    expect(judgeJob(policy, job, 'builtin:cron_add')).toBeNull();
    expect(judgeJob(policy, { ...job, owner: agent }, 'builtin:cron_remove')).toBeNull();
  });

  it('keeps off jobs of config, its own agent’s too', () => {
    expect(judgeJob(policy, { ...job, owner: agent, fixed: true }, 'builtin:cron_remove')).toEqual({
      rule: 'gate.arguments',
      pattern: null,
      why: 'job `nightly` stands in config, which no tool changes',
    });
  });

  it('keeps off jobs of another agent', () => {
    for (const tool of ['builtin:cron_add', 'builtin:cron_remove'])
      expect(judgeJob(policy, { ...job, owner: 'other' }, tool)).toEqual({
        rule: 'gate.arguments',
        pattern: null,
        why: 'job `nightly` belongs to agent `other`',
      });
  });

  it('makes none where no level of turns is left below, and may still end one', () => {
    const last = samplePolicy({ delegation: { ...delegation, max_depth: 0 } });
    expect(judgeJob(last, job, 'builtin:cron_add')).toEqual({
      rule: 'delegation.max_depth',
      pattern: null,
      why: 'no level of turns is left below this one, so it makes no job `nightly`',
    });
    expect(judgeJob(last, { ...job, owner: agent }, 'builtin:cron_remove')).toBeNull();
  });
});

describe('given a procedure that a call starts', () => {
  const sop = { kind: 'sop', given: 'release', exists: true } as const;

  it('lets it start where the policy names it', () => {
    expect(judgeSop(policy, sop)).toBeNull();
  });

  it('refuses one that the policy does not name, be it there or not', () => {
    for (const exists of [true, false])
      expect(judgeSop(policy, { ...sop, given: 'other', exists })).toEqual({
        rule: 'delegation.sops',
        pattern: null,
        why: `\`${agent}\` may not start procedure \`other\``,
      });
  });

  it('refuses one that is not there any more', () => {
    expect(judgeSop(policy, { ...sop, exists: false })).toEqual({
      rule: 'delegation.sops',
      pattern: null,
      why: 'there is no procedure `release`',
    });
  });

  it('refuses where no level of turns is left below', () => {
    const last = samplePolicy({ delegation: { ...delegation, max_depth: 0 } });
    expect(judgeSop(last, sop)).toEqual({
      rule: 'delegation.max_depth',
      pattern: null,
      why: 'no level of turns is left below this one',
    });
  });
});
