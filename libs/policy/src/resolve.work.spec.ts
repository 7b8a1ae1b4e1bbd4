import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applied, complete, profiles } from './applied.fixture.ts';
import type { ResolveRecords, ResolveRequest } from './request.ts';
import { resolve } from './resolve.ts';
import { foldNarrowings } from './resolving/fold-narrowings.ts';
import { originNarrowings } from './resolving/origin-narrowings.ts';

const config = applied({
  ...profiles,
  agents: {
    a: { ...complete, tools: { allowed: ['*'] }, delegation: { mode: 'allow', spawn: true } },
    b: { ...complete, tools: { allowed: ['*'] } },
  },
});
const ofJob = (job: string): ResolveRequest => ({
  agent: 'a',
  principal: { kind: 'job', id: job, person: null },
  session: 's1',
  origin: { kind: 'cron', job },
  client: 'none',
});
const job = (more: Partial<NonNullable<ResolveRecords['job']>> = {}): ResolveRecords => ({
  job: { name: 'j', agent: 'a', tools: null, usesMemory: true, narrowing: {}, depth: 0, ...more },
});
const resolved = (request: ResolveRequest, records: ResolveRecords) => {
  const found = resolve(config, request, records);
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.policy.parts;
};

describe('given a turn that leaves a job behind', () => {
  it('hands on everything that narrowed it: the job resolves to no more than the turn had', () => {
    const tools = fc.subarray(['file_read', 'file_write', 'time_now', 'cron_add']);
    const lists = fc.option(tools, { nil: null });
    fc.assert(
      fc.property(lists, lists, fc.boolean(), (first, second, usesMemory) => {
        const maker = resolved(ofJob('j'), job({ tools: first, usesMemory }));
        const narrowing = foldNarrowings(maker.snapshot, maker.narrowings);
        const made = resolved(ofJob('j'), job({ tools: second, narrowing }));
        const alone = resolved(ofJob('j'), job({ tools: second }));
        const both = resolved(ofJob('j'), job({ narrowing, tools: null }));
        expect(both.snapshot.tools).toEqual(maker.snapshot.tools);
        expect(both.snapshot.memory).toEqual(maker.snapshot.memory);
        // Meeting the maker's with the job's own list is the same as meeting both at once.
        const again = resolved(
          ofJob('j'),
          job({
            narrowing: foldNarrowings(alone.snapshot, alone.narrowings),
            tools: first,
            usesMemory,
          }),
        );
        expect(made.snapshot).toEqual(again.snapshot);
      }),
    );
  });

  it('does not get a bounded or sub-agent turn out of its ceiling', () => {
    const parent = resolved(ofJob('j'), job({ tools: ['time_now', 'cron_add', 'spawn'] }));
    const child = resolved(
      {
        agent: 'a',
        principal: { kind: 'agent', id: 'a', person: null },
        session: 's2',
        origin: { kind: 'subagent', parent: 'p1' },
        client: 'none',
      },
      {
        parent: {
          turn: 'p1',
          snapshot: parent.snapshot,
          narrowings: [],
          depth: parent.snapshot.delegation.max_depth,
          spawn: {},
        },
      },
    );
    const narrowing = foldNarrowings(child.snapshot, child.narrowings);
    const made = resolved(ofJob('j'), job({ narrowing, depth: 1 }));
    expect(made.snapshot.tools).toEqual(child.snapshot.tools);
    expect(made.snapshot.memory).toEqual(child.snapshot.memory);
  });

  it('is nothing where nothing narrowed it', () => {
    const maker = resolved(ofJob('j'), job());
    expect(foldNarrowings(maker.snapshot, maker.narrowings)).toEqual({});
  });
});

describe('given what starts a procedure', () => {
  it('gives what a job leaves', () => {
    const records = job({ tools: ['time_now'], usesMemory: false });
    expect(originNarrowings(config, ofJob('j'), records)).toEqual({
      ok: true,
      narrowings: [
        { whose: 'job:j', values: { 'tools.allowed': [['time_now']] } },
        { whose: 'job:j', values: { 'memory.backend': 'none' } },
      ],
    });
  });

  it('gives what a token leaves, and refuses an agent beyond it', () => {
    const token = {
      id: 't1',
      name: 'ci',
      roles: ['operator' as const],
      scopes: { agents: ['a'], tools: ['file_*'] },
    };
    const request = (agent: string): ResolveRequest => ({
      agent,
      principal: { kind: 'token', id: 't1', person: null },
      session: 's1',
      origin: { kind: 'rest', token: 't1' },
      client: 'none',
    });
    expect(originNarrowings(config, request('a'), { token })).toEqual({
      ok: true,
      narrowings: [{ whose: 'token:ci', values: { 'tools.allowed': [['file_*']] } }],
    });
    expect(originNarrowings(config, request('b'), { token })).toEqual({
      ok: false,
      problem: {
        code: 'not_permitted',
        message: 'token `ci` does not reach agent `b`',
        path: null,
      },
    });
  });
});
