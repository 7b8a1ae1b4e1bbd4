import {
  canonicalJson,
  digestOf,
  type PolicySnapshot,
  type ResolveRecords,
} from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import type { Meta } from '../events/envelope.ts';
import type { DataOf } from '../events/event.ts';
import { policyWith } from './fixture/alter.ts';
import { ended, modelCall, opening } from './fixture/facts.ts';
import { fixtureMeta, streamOf } from './fixture/stream.ts';
import { teamAround, teamPolicy, teamWith } from './fixture/team.ts';
import { judgeTurn } from './judge-turn.ts';
import { recordTurn, type RecordedParent, type Surroundings } from './recorded-turn.ts';

type Asked = Partial<DataOf<'TurnRequested'>>;
type Parent = NonNullable<ResolveRecords['parent']>;

const above: Parent = {
  turn: 't-1',
  snapshot: teamPolicy,
  narrowings: [{ whose: 'job:nightly', values: { 'memory.backend': 'none' } }],
  depth: 3,
  spawn: {},
};

/** What the log says of the turn above. */
const known: RecordedParent = {
  turn: 't-1',
  agent: 'researcher',
  policy: digestOf(teamPolicy),
  narrowings: above.narrowings.map((entry) => canonicalJson(entry)),
  starts: {
    s5: { tool: 'builtin:delegate', children: ['t-2'] },
    s6: { tool: 'builtin:spawn', children: ['t-2'] },
  },
};

/** The reviewer's policy below a bounded edge that grants `memory_recall`. */
const bounded: PolicySnapshot = {
  ...teamWith('delegation', { ...teamPolicy.delegation, delegates: {}, max_depth: 2 }),
  agent: 'reviewer',
};

interface Told {
  readonly policy?: PolicySnapshot;
  readonly asked?: Asked;
  readonly parent?: Parent;
  readonly known?: RecordedParent | null;
}

const delegated = (told: Told = {}) =>
  objections(
    { ...told, policy: told.policy ?? bounded },
    {
      path: 'delegate',
      trigger: 'bounded',
      call: 's5',
      request: {
        agent: 'reviewer',
        principal: { kind: 'agent', id: 'researcher', person: 'ana' },
        session: 's-2',
        origin: { kind: 'delegate', parent: 't-1', edge: 'reviewer' },
        client: 'none',
      },
    },
  );

const spawned = (told: Told = {}) =>
  objections(
    { ...told, policy: told.policy ?? teamWith('delegation', { max_depth: 2 }) },
    {
      path: 'loop',
      trigger: 'subagent',
      call: 's6',
      request: {
        agent: 'researcher',
        principal: { kind: 'agent', id: 'researcher', person: 'ana' },
        session: 's-2',
        origin: { kind: 'subagent', parent: 't-1' },
        client: 'none',
      },
    },
  );

/** A policy of a turn that recalls nothing unasked. */
const quiet = (policy: PolicySnapshot): PolicySnapshot =>
  policyWith(policy, 'memory', { auto_recall: false });

function objections(told: Told & { readonly policy: PolicySnapshot }, asked: Asked) {
  const records = { parent: told.parent ?? above };
  const facts = [
    ...opening(quiet(told.policy), { ...asked, records, history: [], ...told.asked }),
    ...modelCall(1, [], 'Done.').map((fact) =>
      fact.type === 'ModelCallStarted'
        ? {
            ...fact,
            data: {
              ...fact.data,
              made: {
                identity: told.policy.context.identity.files.map((path) => ({
                  path,
                  digest: 'd'.repeat(64),
                })),
                skills: [],
              },
            },
          }
        : fact,
    ),
    ended('Done.'),
  ];
  const meta: Meta = {
    ...fixtureMeta,
    agent: asked.request?.agent ?? null,
    path: asked.path ?? null,
    trigger: asked.trigger ?? null,
    turn: 't-2',
    parent: 't-1',
    chain: ['t-1'],
  };
  const around: Surroundings = {
    ...teamAround,
    parent: told.known === undefined ? known : told.known,
  };
  return judgeTurn(recordTurn(streamOf(facts, meta), around)).map(
    ({ key, why }) => `${key}: ${why}`,
  );
}

describe('given a turn below another one', () => {
  it('objects to nothing while it lies within what started it', () => {
    expect([delegated(), spawned()]).toEqual([[], []]);
    expect([delegated({ known: null }), spawned({ known: null })]).toEqual([[], []]);
  });

  it.each<[string, PolicySnapshot]>([
    ['tools.denied', { ...teamPolicy, tools: { allowed: [['*']], denied: ['builtin:shell'] } }],
    ['tools.allowed', policyWith(teamPolicy, 'tools', { allowed: [['builtin:file_*']] })],
    ['network.allowed_hosts', policyWith(teamPolicy, 'network', { allowed_hosts: [[]] })],
    ['approval.autonomy', policyWith(teamPolicy, 'approval', { autonomy: 'read_only' })],
    ['shell.env_passthrough', policyWith(teamPolicy, 'shell', { env_passthrough: [] })],
  ])('objects to a delegate that goes beyond its edge in %s', (key, snapshot) => {
    const parent = { ...above, snapshot };
    const told = { parent, known: { ...known, policy: digestOf(snapshot) } };
    expect(delegated(told)).toEqual([`delegation.delegates: beyond the edge: ${key}`]);
    expect(spawned(told)).toEqual([`delegation.spawn: beyond what started it: ${key}`]);
  });

  it('lets an edge add what it grants, and no more', () => {
    const snapshot = policyWith(teamPolicy, 'tools', { allowed: [['builtin:file_*']] });
    const told = (...allowed: string[]) =>
      delegated({
        parent: { ...above, snapshot },
        known: { ...known, policy: digestOf(snapshot) },
        policy: policyWith(bounded, 'tools', { allowed: [allowed] }),
      });
    expect(told('builtin:file_read', 'builtin:memory_recall')).toEqual([]);
    expect(told('builtin:memory_store')).toEqual([
      'delegation.delegates: beyond the edge: tools.allowed',
    ]);
  });

  it('objects where a bounded edge was used as an independent one, or there is none', () => {
    expect(delegated({ asked: { trigger: 'independent' } })).toEqual([
      'delegation.delegates: the edge is bounded, and the turn was not',
    ]);
    const snapshot = teamWith('delegation', { delegates: {} });
    const told = {
      parent: { ...above, snapshot },
      known: { ...known, policy: digestOf(snapshot) },
    };
    expect(delegated(told)).toContain(
      'delegation.delegates: `researcher` has no edge to this agent',
    );
  });

  it('objects to a child with as many levels left as what started it', () => {
    const policy = policyWith(bounded, 'delegation', { max_depth: 3 });
    expect(delegated({ policy })).toEqual([
      'delegation.max_depth: 3 levels are left, and 3 were above',
    ]);
  });

  it('objects to a turn that claims another policy above than the log has', () => {
    const claims = { ...known, policy: digestOf('another') };
    const why = 'the policy said to be in force above was not';
    expect(delegated({ known: claims })).toEqual([`delegation.delegates: ${why}`]);
    expect(spawned({ known: claims })).toEqual([`delegation.spawn: ${why}`]);
  });

  it('objects where a narrowing from above was lost', () => {
    expect(spawned({ parent: { ...above, narrowings: [] } })).toEqual([
      'delegation.spawn: something that was taken away above is not taken away here',
    ]);
  });

  it('objects to a turn that no call above started', () => {
    expect(delegated({ asked: { call: 's9' } })).toEqual([
      'delegation.delegates: no call of the turn above started this one',
    ]);
    const starts = { s5: { tool: 'builtin:delegate', children: ['t-7'] } };
    expect(delegated({ known: { ...known, starts } })).toEqual([
      'delegation.delegates: the call of the turn above names other turns',
    ]);
  });
});
