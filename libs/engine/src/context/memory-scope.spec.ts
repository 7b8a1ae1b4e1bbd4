import type { PolicySnapshot, Principal } from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import { samplePolicy } from '../testing/sample-policy.ts';
import {
  actsFor,
  expiryOf,
  isInMemoryScope,
  memoryScopeOf,
  personOf,
  recallsUnasked,
} from './memory-scope.ts';

const ana: Principal = { kind: 'token', id: 'tok-1', person: 'ana' };
const policy = (memory: Partial<PolicySnapshot['memory']>) =>
  samplePolicy({ memory: { backend: 'sqlite', auto_recall: true, recall_limit: 5, ...memory } });

describe('whose rows a turn sees', () => {
  it('names the person, or the identity where nobody is known, and nobody for a job', () => {
    expect(personOf(ana)).toBe('ana');
    expect(personOf({ ...ana, person: null })).toBe('token:tok-1');
    expect(personOf({ kind: 'job', id: 'daily', person: 'ana' })).toBe(null);
  });

  it('names through an agent whom it acts for, at every depth', () => {
    const asked = (by: Principal): Principal => ({ kind: 'agent', id: 'ada', ...actsFor(by) });
    const token: Principal = { kind: 'token', id: 'tok-1', person: null };
    const job: Principal = { kind: 'job', id: 'daily', person: null };
    expect([ana, token, job].map((by) => personOf(asked(asked(by))))).toEqual([
      'ana',
      'token:tok-1',
      null,
    ]);
  });

  it('holds the agent and whom it may read, of the one backend', () => {
    expect(memoryScopeOf(policy({ read_memory_from: ['bob'] }), ana)).toEqual({
      backend: 'sqlite',
      agents: ['ada', 'bob'],
      person: { kind: 'person', id: 'ana' },
    });
    expect(memoryScopeOf(policy({ backend: 'markdown', share: 'agent' }), ana)).toEqual({
      backend: 'markdown',
      agents: ['ada'],
      person: { kind: 'anyone' },
    });
    expect(memoryScopeOf(policy({ backend: 'none' }), ana)).toBe(null);
  });

  it('holds rows of the person and of nobody; for nobody those of nobody alone', () => {
    const scope = { backend: 'sqlite' as const, agents: ['ada'] };
    const of = (id: string | null) => ({ ...scope, person: { kind: 'person' as const, id } });
    const rows = [
      { agent: 'ada', person: 'ana' },
      { agent: 'ada', person: 'ben' },
      { agent: 'ada', person: null },
      { agent: 'bob', person: null },
    ];
    const held = (some: Parameters<typeof isInMemoryScope>[0]) =>
      rows.map((row) => isInMemoryScope(some, row));
    expect(held(of('ana'))).toEqual([true, false, true, false]);
    expect(held(of(null))).toEqual([false, false, true, false]);
    expect(held({ ...scope, person: { kind: 'anyone' } })).toEqual([true, true, true, false]);
  });

  it('is looked into unasked only where every switch says so', () => {
    expect(recallsUnasked(policy({}))).toBe(true);
    expect(recallsUnasked(policy({ recall_limit: 'unlimited' }))).toBe(true);
    expect(recallsUnasked(policy({ auto_recall: false }))).toBe(false);
    expect(recallsUnasked(policy({ recall_limit: 0 }))).toBe(false);
    expect(recallsUnasked(policy({ backend: 'none' }))).toBe(false);
  });

  it('keeps rows for days of the clock', () => {
    expect(expiryOf(2, 1000)).toBe(172_801_000);
    expect(expiryOf(0, 1000)).toBe(1000);
    expect(expiryOf('unlimited', 1000)).toBe('never');
  });
});
