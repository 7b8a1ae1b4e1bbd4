import { describe, expect, it } from 'vitest';
import { applied, complete, oneAgent, profiles, runRequest } from './applied.fixture.ts';
import type { Narrowing, Origin, ResolveRecords, ResolveRequest } from './request.ts';
import { resolve, type ResolvedPolicy } from './resolve.ts';
import { depthBelow, inheritedNarrowings } from './resolving/children.ts';
import type { Limit, PolicySnapshot } from './snapshot.ts';

const edge = (mode: 'bounded' | 'independent', tools?: string[]) => ({
  agent: 'helper',
  mode,
  ...(tools === undefined ? {} : { grants: { tools } }),
});

const team = (edges: object[] = [edge('bounded')]) =>
  applied({
    ...profiles,
    agents: {
      lead: {
        ...complete,
        delegates: edges,
        delegation: { mode: 'allow', spawn: true, sops: ['release'] },
        tools: { allowed: ['file_*'], denied: ['file_edit'] },
        network: { allowed_hosts: ['a.test'] },
        workspace: { root: '/ws/lead', allowed_roots: ['/shared/x'] },
        budgets: { max_tool_calls: 7 },
        output: { stream: false },
      },
      helper: {
        ...complete,
        tools: { allowed: ['file_read', 'time_now'] },
        network: { allowed_hosts: ['*'] },
        workspace: { root: '/ws/helper', allowed_roots: ['/shared'] },
        approval: { route: { on_no_approver: 'deny' } },
      },
    },
    peer_groups: { room: { channel: 'webhook.x', agents: ['lead', 'helper'] } },
    sops: { release: { steps: [{ name: 'check', agent: 'helper', prompt: 'x' }] } },
  });

const snapshotOf = (config = team()): PolicySnapshot => {
  const found = resolve(config, runRequest('lead'), {});
  if (!found.ok) throw new Error('the example has a policy');
  return found.policy.parts.snapshot;
};

interface Chain {
  readonly snapshot?: PolicySnapshot;
  readonly narrowings?: { whose: string; values: Narrowing }[];
  readonly depth?: Limit;
  readonly spawn?: Narrowing;
}
const below = (chain: Chain = {}): ResolveRecords => ({
  parent: {
    turn: 'p',
    snapshot: chain.snapshot ?? snapshotOf(),
    narrowings: chain.narrowings ?? [],
    depth: chain.depth ?? 3,
    spawn: chain.spawn ?? {},
  },
});
const child = (origin: Origin, agent = 'helper'): ResolveRequest => ({
  agent,
  principal: { kind: 'agent', id: 'lead', person: null },
  session: 's',
  origin,
  client: 'none',
});
const delegate = child({ kind: 'delegate', parent: 'p', edge: 'helper' });
const subagent = child({ kind: 'subagent', parent: 'p' }, 'lead');

const policyOf = (
  request: ResolveRequest,
  records: ResolveRecords,
  config = team(),
): ResolvedPolicy['parts'] => {
  const found = resolve(config, request, records);
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.policy.parts;
};
const problemOf = (request: ResolveRequest, records: ResolveRecords, config = team()) => {
  const found = resolve(config, request, records);
  return found.ok ? null : found.problems.map(({ code, message }) => `${code}: ${message}`);
};

/** The caller's own policy where its edge is independent. */
const independentCaller = (): PolicySnapshot => snapshotOf(team([edge('independent')]));

/** The policy that an agent has by itself, with a level of turns less. */
const oneBelow = (agent: string, config = team()): PolicySnapshot => {
  const { snapshot } = policyOf(runRequest(agent), {}, config);
  return { ...snapshot, delegation: { ...snapshot.delegation, max_depth: 2 } };
};

describe('a sub-agent', () => {
  it("has at most its parent's effective policy, budgets included", () => {
    const held = snapshotOf();
    const parent = { ...held, budgets: { ...held.budgets, max_tool_calls: 3 } };
    const { snapshot, path, trigger } = policyOf(subagent, below({ snapshot: parent }));
    expect([path, trigger]).toEqual(['loop', 'subagent']);
    expect(snapshot).toEqual({ ...parent, delegation: { ...parent.delegation, max_depth: 2 } });
  });

  it("is met with the spawn's own narrowing", () => {
    const spawn: Narrowing = { 'tools.allowed': [['file_read']] };
    const { snapshot } = policyOf(subagent, below({ spawn }));
    expect(snapshot.tools.allowed).toEqual([['builtin:file_*'], ['builtin:file_read']]);
  });

  it('works in the folder that its parent was narrowed to', () => {
    const held = snapshotOf();
    const parent = { ...held, workspace: { ...held.workspace, root: '/ws/lead/sub' } };
    const { snapshot } = policyOf(subagent, below({ snapshot: parent }));
    expect(snapshot.workspace.root).toBe('/ws/lead/sub');
  });

  it('is the same agent', () => {
    expect(problemOf({ ...subagent, agent: 'helper' }, below())).toEqual([
      'not_permitted: a sub-agent of `lead` cannot be `helper`',
    ]);
  });
});

describe('a bounded delegate', () => {
  const { snapshot, path, trigger, narrowings, provenance } = policyOf(delegate, below());

  it("has what its policy and its caller's both grant", () => {
    expect([path, trigger]).toEqual(['delegate', 'bounded']);
    expect(snapshot.tools).toEqual({
      allowed: [['builtin:file_*'], ['builtin:file_read', 'builtin:time_now']],
      denied: ['builtin:file_edit'],
    });
    expect(snapshot.network.allowed_hosts).toEqual([['a.test']]);
    expect(snapshot.workspace.allowed_roots).toEqual(['/shared/x']);
    expect(snapshot.output.stream).toBe(false);
  });

  it('keeps its own root, budgets, route and provider', () => {
    const own = policyOf(runRequest('helper'), {}).snapshot;
    expect(snapshot.workspace.root).toBe('/ws/helper');
    expect(snapshot.budgets).toEqual(own.budgets);
    expect(snapshot.approval.route).toEqual({ approver: 'inbox', on_no_approver: 'deny' });
    expect(snapshot.provider).toEqual(own.provider);
  });

  it('says that its ceiling narrowed it', () => {
    expect(narrowings.map(({ whose }) => whose)).toEqual([
      'ceiling:lead',
      'parent:p',
      'spawn:p',
      'client',
    ]);
    expect(provenance.find(({ key }) => key === 'network.allowed_hosts')).toEqual({
      key: 'network.allowed_hosts',
      source: 'ceiling',
      name: 'ceiling:lead',
      path: null,
    });
  });

  it('gets what its edge grants beyond the ceiling, but nothing denied', () => {
    const granted = team([edge('bounded', ['time_now', 'file_edit'])]);
    const parts = policyOf(delegate, below(), granted);
    expect(parts.snapshot.tools).toEqual({
      allowed: [
        ['builtin:file_*', 'builtin:file_edit', 'builtin:time_now'],
        ['builtin:file_read', 'builtin:time_now'],
      ],
      denied: ['builtin:file_edit'],
    });
    expect(parts.provenance.find(({ key }) => key === 'tools.allowed')).toEqual({
      key: 'tools.allowed',
      source: 'edge_grant',
      name: 'lead>helper',
      path: 'agents.lead.delegates',
    });
  });

  it('needs an edge to its agent', () => {
    const refusal = ['not_permitted: agent `lead` has no edge to agent `helper`'];
    expect(problemOf(delegate, below(), team([]))).toEqual(refusal);
    const other = child({ kind: 'delegate', parent: 'p', edge: 'lead' });
    expect(problemOf(other, below())).toEqual(refusal);
  });
});

describe('an independent delegate', () => {
  const config = team([edge('independent')]);

  it("has its own policy, whatever its caller's is", () => {
    const parts = policyOf(delegate, below({ snapshot: independentCaller() }), config);
    expect([parts.trigger, parts.snapshot]).toEqual(['independent', oneBelow('helper', config)]);
    expect(parts.narrowings[0]).toEqual({
      whose: 'ceiling:lead',
      why: 'the edge is independent',
      values: 'none',
    });
  });

  it('counts as bounded where the caller itself holds a bounded edge', () => {
    expect(policyOf(delegate, below(), config).trigger).toBe('bounded');
    const both = team([edge('independent'), edge('bounded')]);
    const caller = below({ snapshot: independentCaller() });
    expect(policyOf(delegate, caller, both).trigger).toBe('bounded');
  });

  it('is still reached by the narrowings of the chain', () => {
    const narrowings = [{ whose: 'job:j', values: { 'tools.denied': ['file_read'] } }];
    const parts = policyOf(delegate, below({ snapshot: independentCaller(), narrowings }), config);
    expect(parts.snapshot.tools.denied).toEqual(['builtin:file_read']);
  });
});

describe('narrowings of a chain', () => {
  it('reach a delegate, but for values that are the other agent alone', () => {
    const narrowings = [
      { whose: 'client', values: { 'workspace.root': '/ws/lead/sub', 'output.redact': true } },
      { whose: 'token:t', values: { 'tools.allowed': [['builtin:file_read']] } },
    ];
    const { snapshot } = policyOf(delegate, below({ narrowings }));
    expect(snapshot.workspace.root).toBe('/ws/helper');
    expect(snapshot.tools.allowed).toContainEqual(['builtin:file_read']);
  });

  it('go on to grandchildren without the ceiling, which is taken anew', () => {
    const records = below({ spawn: { 'tools.denied': ['time_now'] } });
    const { narrowings } = policyOf(delegate, records);
    expect(inheritedNarrowings(narrowings)).toEqual([
      { whose: 'parent:p', values: { 'delegation.max_depth': 2 } },
      { whose: 'spawn:p', values: { 'tools.denied': ['time_now'] } },
    ]);
  });
});

describe('the depth of a chain', () => {
  it('is one less than the parent has, down to none', () => {
    expect([depthBelow(3), depthBelow(1), depthBelow(0), depthBelow('unlimited')]).toEqual([
      2,
      0,
      null,
      'unlimited',
    ]);
    expect(problemOf(delegate, below({ depth: 0 }))).toEqual([
      'depth_exceeded: turn `p` may start no further turn below it',
    ]);
  });

  it('counts for a job that a turn made', () => {
    const job = { name: 'j', agent: 'a', tools: null, usesMemory: true, narrowing: {}, depth: 1 };
    const request: ResolveRequest = {
      ...runRequest('a'),
      principal: { kind: 'job', id: 'j', person: null },
      origin: { kind: 'cron', job: 'j' },
    };
    expect(problemOf(request, { job }, oneAgent({ delegation: { max_depth: 0 } }))).toEqual([
      'depth_exceeded: `job:j` was made too deep in a chain of turns',
    ]);
  });
});

describe('a message of a peer', () => {
  const message = (group: string, channel: string) =>
    child({ kind: 'peer', parent: 'p', group, channel });

  it("starts a turn under the receiver's own policy", () => {
    const parts = policyOf(message('room', 'webhook.x'), below());
    expect([parts.path, parts.trigger, parts.snapshot]).toEqual([
      'channel',
      'peer',
      oneBelow('helper'),
    ]);
  });

  it('passes only between members of one group on its channel', () => {
    for (const request of [message('room', 'webhook.y'), message('other', 'webhook.x')])
      expect(problemOf(request, below())?.[0]).toMatch(
        /^not_permitted: agents `lead` and `helper`/,
      );
  });
});

describe('a step of a procedure', () => {
  const step = child({ kind: 'sop', run: 'r', step: 'check', parent: 'p' });
  const sopRun = { id: 'r', sop: 'release', step: 'check', scope: ['file_read'] };

  it("has its agent's policy less the scope of the step", () => {
    const parts = policyOf(step, { ...below(), sopRun });
    expect([parts.path, parts.trigger]).toEqual(['sop', 'live']);
    expect(parts.snapshot.tools.allowed).toEqual([
      ['builtin:file_read', 'builtin:time_now'],
      ['builtin:file_read'],
    ]);
  });

  it('belongs to a procedure that has a step of the agent', () => {
    expect(problemOf(step, { ...below(), sopRun: { ...sopRun, sop: 'other' } })).toEqual([
      'not_permitted: no procedure is called `other`',
    ]);
    const later = { ...step, origin: { ...step.origin, step: 'step1' } } as ResolveRequest;
    expect(problemOf(later, { ...below(), sopRun: { ...sopRun, step: 'step1' } })).toEqual([
      'not_permitted: procedure `release` has no step `step1`',
    ]);
    const other = { ...step, agent: 'lead' };
    expect(problemOf(other, { ...below(), sopRun })).toEqual([
      'not_permitted: step `check` of procedure `release` is not of agent `lead`',
    ]);
    expect(problemOf(step, below())).toEqual([
      'missing_record: the log holds no procedure run `r/check`',
    ]);
  });
});
