import { describe, expect, it } from 'vitest';
import { applied, complete, profiles, runRequest } from './applied.fixture.ts';
import { triggersByPath } from './names.ts';
import type { Origin, Principal, ResolveRecords, ResolveRequest } from './request.ts';
import { resolve, resolveAgain, type ResolvedPolicy } from './resolve.ts';

const team = applied({
  ...profiles,
  risk_profiles: { careful: { tools: { allowed: ['file_*', 'time_now'] } } },
  agents: {
    a: { ...complete, channels: ['webhook.support', 'mail.x'] },
    b: complete,
    off: { ...complete, enabled: false },
    bare: {},
  },
  people: { ana: { identities: ['token:ana', 'webhook.support/user:ana'], roles: [] } },
  heartbeat: { a: { every: '30m', prompt: 'x' } },
  sops: { release: { steps: [{ agent: 'a', prompt: 'x' }] } },
  channels: {
    webhook: {
      support: { secret: { env: 'S' } },
      other: { secret: { env: 'S' } },
    },
  },
  peer_groups: {
    room: { channel: 'webhook.support', agents: ['a'], external_peers: ['user:ana', 'x'] },
  },
});

const token = {
  id: 't1',
  name: 'ana',
  roles: [],
  scopes: { agents: ['*'], tools: ['*'] },
};
const job = { name: 'j', agent: 'a', tools: null, usesMemory: true, narrowing: {}, depth: 0 };

const from = (
  origin: Origin,
  principal: Principal,
  client: ResolveRequest['client'] = 'none',
): ResolveRequest => ({ agent: 'a', principal, session: 's', origin, client });

const ana: Principal = { kind: 'token', id: 't1', person: 'ana' };
const local: Principal = { kind: 'local', id: 'local', person: null };
const rest = (agent = 'a', principal = ana): ResolveRequest => ({
  ...from({ kind: 'rest', token: 't1' }, principal),
  agent,
});

const policyOf = (request: ResolveRequest, records: ResolveRecords): ResolvedPolicy['parts'] => {
  const found = resolve(team, request, records);
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.policy.parts;
};
const problemsOf = (request: ResolveRequest, records: ResolveRecords) => {
  const found = resolve(team, request, records);
  return found.ok ? [] : found.problems.map(({ code, message }) => `${code}: ${message}`);
};

describe('where a request comes from', () => {
  const arrivals: [Origin, Principal, ResolveRecords, string][] = [
    [{ kind: 'rest', token: 't1' }, ana, { token }, 'gateway/rest'],
    [{ kind: 'websocket', token: 't1' }, ana, { token }, 'gateway/websocket'],
    [{ kind: 'openai', token: 't1' }, ana, { token }, 'gateway/openai'],
    [{ kind: 'run' }, local, {}, 'loop/run'],
    [{ kind: 'cron', job: 'j' }, { kind: 'job', id: 'j', person: null }, { job }, 'loop/cron'],
    [{ kind: 'heartbeat' }, { kind: 'job', id: 'h', person: null }, {}, 'loop/heartbeat'],
    [
      { kind: 'acp', connection: 'c' },
      local,
      { connection: { id: 'c', narrowing: {} } },
      'rpc/acp',
    ],
    [
      { kind: 'json_rpc', connection: 'c' },
      local,
      { connection: { id: 'c', narrowing: {} } },
      'rpc/json-rpc',
    ],
    [
      { kind: 'channel', binding: 'webhook.support' },
      { kind: 'peer', id: 'webhook.support/user:ana', person: 'ana' },
      {},
      'channel/webhook',
    ],
    [
      { kind: 'sop', run: 'r', step: 'step1', parent: 'none' },
      local,
      { sopRun: { id: 'r', sop: 'release', step: 'step1', scope: null } },
      'sop/headless',
    ],
  ];

  it.each(arrivals)('settles path and trigger: %o', (origin, principal, records, expected) => {
    const { path, trigger } = policyOf(from(origin, principal), records);
    expect(`${path}/${trigger}`).toBe(expected);
    expect(triggersByPath[path]).toContain(trigger);
  });

  it('gives equal bytes on every path that takes nothing away', () => {
    const digests = arrivals.map(
      ([origin, principal, records]) => policyOf(from(origin, principal), records).digest,
    );
    expect(new Set(digests).size).toBe(1);
  });

  it('needs the record that it names', () => {
    expect(problemsOf(rest(), {})).toEqual(['missing_record: the log holds no token `t1`']);
    expect(problemsOf(rest(), { token: { ...token, id: 't2' } })).toEqual([
      'missing_record: the log holds no token `t1`',
    ]);
    const cron = from({ kind: 'cron', job: 'j' }, { kind: 'job', id: 'j', person: null });
    expect(problemsOf(cron, {})).toEqual(['missing_record: the log holds no job `j`']);
    expect(problemsOf(cron, { job: { ...job, agent: 'b' } })).toEqual([
      'not_permitted: job `j` does not run agent `a`',
    ]);
  });

  it('has a channel of a known type with one owner', () => {
    const channel = (binding: string, agent = 'a') => ({
      ...from({ kind: 'channel', binding }, { kind: 'peer', id: `${binding}/x`, person: null }),
      agent,
    });
    expect(problemsOf(channel('mail.x'), {})).toEqual([
      'origin_not_supported: no channel has the type `mail`',
    ]);
    expect(problemsOf(channel('peer.x'), {})).toEqual([
      'origin_not_supported: no channel has the type `peer`',
    ]);
    expect(problemsOf(channel('webhook.other'), {})).toEqual([
      'not_permitted: channel `webhook.other` does not lead to agent `a`',
    ]);
    expect(problemsOf(channel('webhook.none'), {})).toEqual([
      'not_permitted: no channel is called `webhook.none`',
    ]);
    expect(problemsOf(channel('webhook.support', 'b'), {})).toEqual([
      'not_permitted: channel `webhook.support` does not lead to agent `b`',
    ]);
  });
});

describe('who makes a request', () => {
  it('is a person at the machine for `run`', () => {
    expect(problemsOf(from({ kind: 'run' }, ana), {})).toEqual([
      'not_permitted: a principal of kind `token` cannot make a request of origin `run`',
    ]);
  });

  it('is the holder of the token', () => {
    expect(problemsOf(rest('a', { ...ana, id: 't9' }), { token })).toEqual([
      'not_permitted: principal `t9` is not `t1`',
    ]);
    expect(problemsOf(rest('a', local), { token })).toHaveLength(1);
    expect(problemsOf(rest('a', local), { token: { ...token, name: 'local' } })).toEqual([]);
  });

  it('is the person whose identity it is, no other and not nobody', () => {
    expect(problemsOf(rest('a', { ...ana, person: 'bob' }), { token })).toEqual([
      'not_permitted: `token:ana` is no identity of person `bob`',
    ]);
    expect(problemsOf(rest('a', { ...ana, person: null }), { token })).toEqual([
      'not_permitted: `token:ana` belongs to person `ana`, which the request does not say',
    ]);
    const other = { ...token, name: 'other' };
    expect(problemsOf(rest('a', { ...ana, person: null }), { token: other })).toEqual([]);
    expect(problemsOf(rest(), { token: other })).toHaveLength(1);
  });

  it('need not be a person that config came to know later', () => {
    const request = rest('a', { ...ana, person: null });
    expect(resolveAgain(team, request, { token }).ok).toBe(true);
    expect(resolveAgain(team, rest('a', { ...ana, person: 'bob' }), { token }).ok).toBe(false);
  });
});

describe('which agent is asked', () => {
  it('is one that config holds, enabled and complete', () => {
    expect(problemsOf(runRequest('none'), {})).toEqual([
      'unknown_agent: no agent is called `none`',
    ]);
    expect(problemsOf(runRequest('constructor'), {})).toEqual([
      'unknown_agent: no agent is called `constructor`',
    ]);
    expect(problemsOf(runRequest('off'), {})).toEqual(['disabled_agent: agent `off` is disabled']);
    expect(problemsOf(runRequest('bare'), {})).toEqual([
      'incomplete_agent: agent `bare` is incomplete: set `provider`, `risk_profile`, `runtime_profile`',
    ]);
  });

  it('lies within the scope of the token', () => {
    const records = { token: { ...token, scopes: { agents: ['b*'], tools: ['*'] } } };
    expect(problemsOf(rest(), records)).toEqual([
      'not_permitted: token `ana` does not reach agent `a`',
    ]);
  });
});

describe('what a request takes away', () => {
  it('stands in the policy, and what it could have taken as well', () => {
    expect(policyOf(rest(), { token }).narrowings).toEqual([
      { whose: 'token:ana', why: "the token's scope of tools", values: 'none' },
      { whose: 'client', why: 'what the client asked to leave out', values: 'none' },
    ]);
    const cron = from({ kind: 'cron', job: 'j' }, { kind: 'job', id: 'j', person: null });
    const parts = policyOf(cron, { job: { ...job, tools: ['file_read'], usesMemory: false } });
    expect(parts.narrowings.map(({ whose, values }) => ({ whose, values }))).toEqual([
      { whose: 'job:j', values: { 'tools.allowed': [['file_read']] } },
      { whose: 'job:j', values: { 'memory.backend': 'none' } },
      { whose: 'job:j', values: 'none' },
      { whose: 'job:j', values: 'none' },
      { whose: 'client', values: 'none' },
    ]);
  });

  it("leaves the tools that policy and the token's scope share", () => {
    const scopes = { agents: ['a'], tools: ['file_read', 'shell'] };
    const parts = policyOf(rest(), { token: { ...token, scopes } });
    expect(parts.snapshot.tools.allowed).toEqual([
      ['builtin:file_*', 'builtin:time_now'],
      ['builtin:file_read', 'builtin:shell'],
    ]);
    expect(parts.provenance.find(({ key }) => key === 'tools.allowed')).toEqual({
      key: 'tools.allowed',
      source: 'narrowing',
      name: 'token:ana',
      path: null,
    });
  });

  it('may be what the client asks to leave out', () => {
    const { snapshot } = policyOf(
      {
        ...rest(),
        client: {
          'tools.allowed': [['file_read']],
          'budgets.max_tool_calls': 2,
          'workspace.root': '/srv/team/.lockstep/workspaces/a/sub/',
          'approval.autonomy': 'read_only',
        },
      },
      { token },
    );
    expect(snapshot.tools.allowed).toEqual([
      ['builtin:file_*', 'builtin:time_now'],
      ['builtin:file_read'],
    ]);
    expect(snapshot.budgets.max_tool_calls).toBe(2);
    expect(snapshot.workspace.root).toBe('/srv/team/.lockstep/workspaces/a/sub');
    expect(snapshot.approval.autonomy).toBe('read_only');
  });

  const asks = (client: ResolveRequest['client']) => {
    const found = resolve(team, { ...rest(), client }, { token });
    return found.ok ? [] : found.problems.map(({ code, path }) => `${code} ${path ?? ''}`);
  };

  it('is never more than the policy grants', () => {
    expect(asks({ 'tools.allowed': [['shell']] })).toEqual(['widening_refused tools.allowed']);
    expect(asks({ 'budgets.max_tool_calls': 31 })).toEqual([
      'widening_refused budgets.max_tool_calls',
    ]);
    expect(asks({ 'workspace.root': '/' })).toEqual(['widening_refused workspace.root']);
    expect(asks({ 'memory.backend': 'markdown' })).toEqual(['widening_refused memory.backend']);
    expect(asks({ 'workspace.workspace_only': false })).toEqual([
      'widening_refused workspace.workspace_only',
    ]);
    expect(asks({ 'approval.autonomy': 'full', 'output.redact': false })).toEqual([
      'widening_refused approval.autonomy',
      'widening_refused output.redact',
    ]);
  });

  it('has a value that the setting can have', () => {
    expect(asks({ 'budgets.max_tool_calls': -1 })).toEqual([
      'invalid_narrowing budgets.max_tool_calls',
    ]);
    expect(asks({ 'workspace.root': 'sub' })).toEqual(['invalid_narrowing workspace.root']);
    expect(asks({ 'tools.allowed': [] })).toEqual(['invalid_narrowing tools.allowed']);
    expect(asks({ 'tools.denied': ['\ud800'] })).toEqual(['invalid_narrowing tools.denied']);
    const unknown = { 'tools.other': [] } as unknown as ResolveRequest['client'];
    expect(asks(unknown)).toEqual(['invalid_narrowing tools.other']);
  });

  it('still narrows, and is not refused, once the config grants less', () => {
    const less = { ...team, config: { ...team.config } };
    less.config.runtime_profiles = { short: { budgets: { max_tool_calls: 1 } } };
    const request: ResolveRequest = { ...rest(), client: { 'budgets.max_tool_calls': 5 } };
    expect(resolve(less, request, { token }).ok).toBe(false);
    const again = resolveAgain(less, request, { token });
    expect(again.ok && again.policy.parts.snapshot.budgets.max_tool_calls).toBe(1);
  });
});
