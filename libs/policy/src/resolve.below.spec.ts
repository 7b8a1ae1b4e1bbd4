import { describe, expect, it } from 'vitest';
import { applied, complete, profiles, runRequest } from './applied.fixture.ts';
import type { Origin, ResolveRecords, ResolveRequest } from './request.ts';
import { resolve } from './resolve.ts';
import type { PolicySnapshot } from './snapshot.ts';

/** `a` delegates to `b` within bounds, `b` to `c` without. */
const chain = (edges: object[] = [{ agent: 'b' }]) =>
  applied({
    ...profiles,
    agents: {
      a: {
        ...complete,
        delegates: edges,
        delegation: { mode: 'allow', spawn: true, sops: ['s'] },
        tools: { allowed: ['file_read'] },
      },
      b: {
        ...complete,
        delegates: [{ agent: 'c', mode: 'independent' }],
        delegation: { mode: 'allow' },
        tools: { allowed: ['file_*'] },
      },
      c: { ...complete, tools: { allowed: '*' } },
    },
    sops: { s: { steps: [{ name: 'check', agent: 'b', prompt: 'x', tools: ['time_now'] }] } },
    channels: { webhook: { x: { secret: { env: 'S' } } } },
    peer_groups: { room: { channel: 'webhook.x', agents: ['a', 'b'] } },
  });

const ask = (
  config: ReturnType<typeof chain>,
  agent: string,
  origin: Origin,
  records: ResolveRecords,
) => {
  const request: ResolveRequest = {
    ...runRequest(agent),
    principal: { kind: 'agent', id: records.parent?.snapshot.agent ?? 'a', person: null },
    origin,
  };
  return resolve(config, request, records);
};
const under = (snapshot: PolicySnapshot): ResolveRecords => ({
  parent: { turn: 'p', snapshot, narrowings: [], depth: snapshot.delegation.max_depth, spawn: {} },
});
const rootOf = (config: ReturnType<typeof chain>): PolicySnapshot => {
  const found = resolve(config, runRequest('a'), {});
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.policy.parts.snapshot;
};
const partsOf = (found: ReturnType<typeof resolve>) => {
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.policy.parts;
};
const pathsOf = (found: ReturnType<typeof resolve>) =>
  found.ok ? 'ok' : found.problems.map(({ code, path }) => `${code} ${path ?? '-'}`);

const edgeTo = (edge: string): Origin => ({ kind: 'delegate', parent: 'p', edge });
const spawn: Origin = { kind: 'subagent', parent: 'p' };
const peer: Origin = { kind: 'peer', parent: 'p', group: 'room', channel: 'webhook.x' };
const live: Origin = { kind: 'sop', run: 'r', step: 'check', parent: 'p' };
const sopRun = { id: 'r', sop: 's', step: 'check', scope: null };

describe('below a bounded edge', () => {
  it('an independent edge counts as bounded, and nothing of the ceiling is left behind', () => {
    const config = chain();
    const b = partsOf(ask(config, 'b', edgeTo('b'), under(rootOf(config)))).snapshot;
    const c = partsOf(ask(config, 'c', edgeTo('c'), under(b)));
    expect([b.delegation.delegates, c.trigger]).toEqual([{ c: 'bounded' }, 'bounded']);
    expect(c.snapshot.tools.allowed).toEqual([['builtin:file_*'], ['builtin:file_read']]);
    expect(c.snapshot.delegation.max_depth).toBe(1);
  });

  it('an independent edge stays one where the ceiling holds it too', () => {
    const config = chain([{ agent: 'b' }, { agent: 'c', mode: 'independent' }]);
    const b = partsOf(ask(config, 'b', edgeTo('b'), under(rootOf(config)))).snapshot;
    const c = partsOf(ask(config, 'c', edgeTo('c'), under(b)));
    expect([c.trigger, c.snapshot.tools.allowed]).toEqual(['independent', [['*']]]);
  });
});

describe('a turn starts below it only what its effective policy lets it', () => {
  const config = chain();
  const root = rootOf(config);
  const narrowed = (delegation: Partial<PolicySnapshot['delegation']>): ResolveRecords => ({
    ...under({ ...root, delegation: { ...root.delegation, ...delegation } }),
    sopRun,
  });

  it.each<[string, Origin, Partial<PolicySnapshot['delegation']>, string]>([
    ['b', edgeTo('b'), { mode: 'forbidden' }, 'delegation.mode'],
    ['b', edgeTo('b'), { delegates: {} }, 'delegation.delegates'],
    ['a', spawn, { mode: 'forbidden' }, 'delegation.mode'],
    ['a', spawn, { spawn: false }, 'delegation.spawn'],
    ['b', live, { mode: 'forbidden' }, 'delegation.mode'],
    ['b', live, { sops: [] }, 'delegation.sops'],
  ])('%s by %o is refused under %o', (agent, origin, delegation, key) => {
    expect(pathsOf(ask(config, agent, origin, narrowed({})))).toBe('ok');
    expect(pathsOf(ask(config, agent, origin, narrowed(delegation)))).toEqual([
      `not_permitted ${key}`,
    ]);
  });

  it.each([
    ['b', edgeTo('b')],
    ['a', spawn],
    ['b', live],
    ['b', peer],
  ] as const)('%s by %o is refused where no level is left', (agent, origin) => {
    expect(pathsOf(ask(config, agent, origin, narrowed({ max_depth: 0 })))).toEqual([
      'depth_exceeded delegation.max_depth',
    ]);
  });

  it('a message reaches only whom the sender may message', () => {
    const alone = { ...root, channels: { ...root.channels, peers: {} } };
    expect(pathsOf(ask(config, 'b', peer, under(root)))).toBe('ok');
    expect(pathsOf(ask(config, 'b', peer, under(alone)))).toEqual(['not_permitted channels.peers']);
  });
});

describe('a run of a procedure', () => {
  const headless: Origin = { kind: 'sop', run: 'r', step: 'check', parent: 'none' };

  it('carries what held for who started it, and the levels above it', () => {
    const narrowings = [{ whose: 'job:j', values: { 'memory.backend': 'none' } }];
    const run = { ...sopRun, scope: ['time_now'], narrowings, depth: 2 };
    const parts = partsOf(ask(chain(), 'b', headless, { sopRun: run }));
    expect(parts.trigger).toBe('headless');
    expect([
      parts.snapshot.memory.backend,
      parts.snapshot.delegation.max_depth,
      parts.snapshot.tools.allowed,
    ]).toEqual(['none', 1, [['builtin:file_*'], ['builtin:time_now']]]);
    expect(parts.narrowings.map(({ whose }) => whose)).toEqual([
      'job:j',
      'sop:s',
      'sop:s/check',
      'client',
    ]);
    const deep = { ...run, depth: 4 };
    expect(pathsOf(ask(chain(), 'b', headless, { sopRun: deep }))).toEqual([
      'depth_exceeded delegation.max_depth',
    ]);
  });

  it('follows an edit that takes tools from its step', () => {
    const parts = partsOf(ask(chain(), 'b', headless, { sopRun }));
    expect(parts.snapshot.tools.allowed).toEqual([['builtin:file_*'], ['builtin:time_now']]);
  });
});
