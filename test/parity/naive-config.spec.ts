import {
  enforcedKeys,
  resolve,
  type AppliedConfig,
  type Origin,
  type Principal,
  type ResolveRecords,
} from '@lockstep/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configWith, type Fragment } from './config.ts';
import { seamDrivers } from './driver.ts';
import { naiveValues, type Taken } from './naive-config.ts';
import { valueOf } from './value-of.ts';

const some = (shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Fragment> =>
  fc.record(shape, { requiredKeys: [] });

const toolList = fc.oneof(
  fc.constant('*'),
  fc.array(fc.constantFrom('*', 'file_read', 'file_*', 'builtin:time_now', 'mcp:files/*'), {
    maxLength: 4,
  }),
);
const hosts = fc.oneof(
  fc.constant('*'),
  fc.array(fc.constantFrom('a.test', '*.b.test', 'http://c.test', 'd.test:8443'), { maxLength: 3 }),
);
const limit = (min: number) => fc.oneof(fc.constant('unlimited'), fc.integer({ min, max: 9_999 }));

const risk = some({
  autonomy: fc.constantFrom('read_only', 'supervised', 'full'),
  tools: some({ allowed: toolList, denied: toolList }),
  approval: some({
    auto_approve: toolList,
    always_ask: toolList,
    approvers_required: fc.integer({ min: 1, max: 10 }),
    four_eyes: fc.boolean(),
    route: some({
      approver: fc.constantFrom('inbox', 'role:approver'),
      on_no_approver: fc.constantFrom('queue', 'deny'),
    }),
    timeout_secs: limit(1),
    grant_ttl_secs: limit(0),
  }),
  workspace: some({
    root: fc.constantFrom('/srv/ada', 'work', '~/ada'),
    workspace_only: fc.boolean(),
    access: fc.constantFrom({}, { ben: 'read' }, { ben: 'read_write' }),
    allowed_roots: fc.subarray(['/srv/shared', 'notes', '~/docs']),
    forbidden_paths: fc.subarray(['/etc', '~/.ssh', 'keys', '**/.env', '**/*.pem']),
    unrestricted_filesystem: fc.boolean(),
  }),
  shell: some({
    allowed_commands: fc.oneof(fc.constant('*'), fc.subarray(['git status', 'ls', '*'])),
    env_passthrough: fc.subarray(['PATH', 'LANG']),
    block_high_risk: fc.boolean(),
    sandbox: fc.constantFrom('required', 'preferred', 'off'),
  }),
  delegation: some({
    mode: fc.constantFrom('allow', 'forbidden'),
    max_depth: limit(0),
    spawn: fc.boolean(),
    sops: fc.subarray(['release', 'review']),
  }),
  network: some({ allowed_hosts: hosts, block_private_addresses: fc.boolean() }),
  secrets: some({ unseal: toolList }),
  output: some({ redact: fc.boolean(), max_reply_chars: limit(1), stream: fc.boolean() }),
});
const runtime = some({
  budgets: some({
    max_tool_iterations: limit(1),
    max_parallel_tools: fc.integer({ min: 1, max: 64 }),
    max_tool_result_chars: limit(100),
    max_output_tokens: limit(1),
    loop_detection: fc.record({
      window: fc.integer({ min: 1, max: 1000 }),
      max_repeats: fc.integer({ min: 1, max: 1000 }),
    }),
    max_tool_calls: limit(0),
    max_tokens_per_turn: limit(1),
    max_cost_usd_per_turn: fc.constantFrom('unlimited', 0, 0.25, 0.000001, 12.5),
    turn_timeout_secs: limit(1),
    tool_timeout_secs: limit(1),
    max_actions_per_hour: limit(0),
    max_cost_usd_per_day: fc.constantFrom('unlimited', 0, 0.5, 20),
    warn_at_percent: fc.integer({ min: 1, max: 100 }),
  }),
  memory: some({
    backend: fc.constantFrom('sqlite', 'markdown', 'none'),
    auto_recall: fc.boolean(),
    recall_limit: limit(0),
    read_memory_from: fc.subarray(['ben', 'cleo']),
    share: fc.constantFrom('person', 'agent'),
    writable: fc.boolean(),
    retention_days: limit(1),
  }),
  skills: some({
    allow_scripts: fc.boolean(),
    prompt_mode: fc.constantFrom('compact', 'full'),
  }),
  context: some({
    max_history_messages: limit(0),
    max_context_tokens: limit(256),
    keep_tool_results_turns: limit(0),
    max_system_prompt_chars: limit(200),
    identity: some({
      files: fc.subarray(['id.md', '~/me.md', '/srv/who.md']),
      writable: fc.boolean(),
    }),
  }),
});
const server = some({
  run: fc.constantFrom('sandboxed', 'trusted'),
  share: fc.constantFrom('session', 'agent'),
  tools: some({
    read_file: some({
      effect: fc.subarray(['network', 'read', 'write']),
      operands: fc.constantFrom('none', [{ at: '/path', kind: 'path', access: 'read' }]),
    }),
  }),
}).chain((table) =>
  fc
    .oneof(fc.constant('*'), fc.subarray(['read_*', 'list_*', 'move']))
    .map((expose) => ({ transport: 'stdio', command: 'x', expose, ...table })),
);

const configs: fc.Arbitrary<AppliedConfig> = fc
  .record({
    agent: fc.tuple(
      risk,
      runtime,
      some({
        mcp_bundles: fc.subarray(['one', 'two']),
        skill_bundles: fc.subarray(['write', 'read']),
        channels: fc.subarray(['webhook.support', 'mqtt.yard']),
        delegates: fc.array(
          fc.record({ agent: fc.constant('ben'), mode: fc.constantFrom('bounded', 'independent') }),
          { maxLength: 2 },
        ),
      }),
    ),
    peers: fc.subarray(['*', 'eve', 'bob']),
    ignore: fc.subarray(['eve', 'mallory']),
    scope: fc.option(toolList, { nil: undefined }),
    risk,
    runtime,
    servers: fc.record({ files: server, notes: server }),
    bundle: fc.subarray(['files', 'notes']),
  })
  .map(({ agent, risk: careful, runtime: short, servers, bundle, peers, ignore, scope }) =>
    configWith(
      { ...agent[0], ...agent[1], ...agent[2] },
      {
        risk_profiles: { careful },
        runtime_profiles: { short },
        mcp: { servers },
        mcp_bundles: { one: { servers: bundle }, two: { servers: ['notes'] } },
        skill_bundles: { write: { directory: 'skills/write' }, read: { directory: '/skills' } },
        channels: {
          webhook: { support: { secret: { env: 'S' }, ...(scope && { tools: scope }) } },
          mqtt: { yard: { url: 'mqtt://m', topic: 't' } },
        },
        peer_groups: {
          room: {
            channel: 'webhook.support',
            agents: ['ada', 'ben'],
            external_peers: peers,
            ignore,
          },
          yard: { channel: 'mqtt.yard', agents: ['ada'], external_peers: ['eve'] },
        },
        heartbeat: { ada: { every: '1h', prompt: 'x' } },
        sops: {
          release: { steps: [{ name: 'check', agent: 'ada', prompt: 'x' }] },
          review: { steps: [{ agent: 'ben', prompt: 'x' }] },
        },
      },
    ),
  );

describe('a config', () => {
  it.each(['rest', 'run'] as const)(
    'means to resolve() over %s what it plainly says',
    async (by) => {
      await fc.assert(
        fc.asyncProperty(configs, async (applied) => {
          const snapshot = await seamDrivers[by](applied, 'ada');
          const naive = naiveValues(applied, 'ada');
          for (const key of enforcedKeys)
            expect([key, valueOf(snapshot, key)]).toEqual([key, naive[key]]);
        }),
        { numRuns: 50 },
      );
    },
  );

  it('loses to a token what the scope of the token leaves out', () => {
    const scopes = fc.array(fc.constantFrom('*', 'file_read', 'mcp:files/*'), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(configs, scopes, (applied, tools) => {
        const token = {
          id: 't',
          name: 'ci',
          roles: ['operator' as const],
          scopes: { agents: ['*'], tools },
        };
        const found = resolve(
          applied,
          {
            agent: 'ada',
            principal: { kind: 'token', id: 't', person: null },
            session: 's-1',
            origin: { kind: 'rest', token: 't' },
            client: 'none',
          },
          { token },
        );
        if (!found.ok) throw new Error(found.problems.map(({ message }) => message).join());
        expect(found.policy.parts.snapshot.tools.allowed).toEqual(
          naiveValues(applied, 'ada', { tools })['tools.allowed'],
        );
      }),
      { numRuns: 50 },
    );
  });

  const ask = (
    applied: AppliedConfig,
    origin: Origin,
    principal: Principal,
    records: ResolveRecords,
  ) =>
    resolve(applied, { agent: 'ada', principal, session: 's-1', origin, client: 'none' }, records);
  const job = (name: string): Principal => ({ kind: 'job', id: name, person: null });
  const local: Principal = { kind: 'local', id: 'local', person: null };
  const scope = fc.option(fc.subarray(['*', 'file_read', 'mcp:files/*']), { nil: null });

  /** Every kind of start that no turn makes, with what it takes away. */
  const starts = fc
    .record({ tools: scope, memory: fc.boolean(), above: fc.integer({ min: 0, max: 3 }) })
    .map(({ tools, memory, above }) => {
      const taken: Taken = { tools: tools ?? 'nothing' };
      const narrowings =
        tools === null ? [] : [{ whose: 'token:ci', values: { 'tools.allowed': [tools] } }];
      const all: readonly [Origin, Principal, ResolveRecords, Taken][] = [
        [{ kind: 'run' }, local, {}, { tools: 'nothing' }],
        [{ kind: 'heartbeat' }, job('heartbeat-ada'), {}, { tools: 'nothing' }],
        ...(['json_rpc', 'acp'] as const).map(
          (kind): [Origin, Principal, ResolveRecords, Taken] => [
            { kind, connection: 'c' },
            local,
            { connection: { id: 'c', narrowing: {} } },
            { tools: 'nothing' },
          ],
        ),
        [
          { kind: 'cron', job: 'j' },
          job('j'),
          {
            job: {
              name: 'j',
              agent: 'ada',
              tools,
              usesMemory: memory,
              narrowing: {},
              depth: above,
            },
          },
          { ...taken, ...(memory ? {} : { memory: 'none' as const }) },
        ],
        [
          { kind: 'sop', run: 'r', step: 'check', parent: 'none' },
          local,
          {
            sopRun: {
              id: 'r',
              sop: 'release',
              step: 'check',
              scope: null,
              narrowings,
              depth: above,
            },
          },
          taken,
        ],
      ];
      return { all, above };
    });

  it('loses on every kind of start exactly what that start takes away', () => {
    fc.assert(
      fc.property(configs, starts, (applied, { all, above }) => {
        for (const [origin, principal, records, taken] of all) {
          const own = naiveValues(applied, 'ada')['delegation.max_depth'];
          const deep = (origin.kind === 'cron' || origin.kind === 'sop') && above > 0;
          const found = ask(applied, origin, principal, records);
          if (deep && typeof own === 'number' && above > own) {
            expect(found.ok ? null : found.problems.map(({ code }) => code)).toEqual([
              'depth_exceeded',
            ]);
            continue;
          }
          if (!found.ok) throw new Error(found.problems.map(({ message }) => message).join());
          const depth = deep && typeof own === 'number' ? { depth: own - above } : {};
          const naive = naiveValues(applied, 'ada', { ...taken, ...depth });
          for (const key of enforcedKeys)
            expect([origin.kind, key, valueOf(found.policy.parts.snapshot, key)]).toEqual([
              origin.kind,
              key,
              naive[key],
            ]);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('hears on a channel those that it names and does not ignore, on its own channels alone', () => {
    const senders = fc.constantFrom('eve', 'bob', 'mallory');
    fc.assert(
      fc.property(configs, senders, (applied, sender) => {
        const binding = 'webhook.support';
        const naive = naiveValues(applied, 'ada');
        const found = ask(
          applied,
          { kind: 'channel', binding },
          { kind: 'peer', id: `${binding}/${sender}`, person: null },
          {},
        );
        const { external_peers: named = [], ignore = [] } =
          applied.config.peer_groups['room'] ?? {};
        const heard =
          (naive['channels.bindings'] as readonly string[]).includes(binding) &&
          (named.includes('*') || named.includes(sender)) &&
          !ignore.includes(sender);
        expect(found.ok).toBe(heard);
        if (!found.ok) return;
        const tools = applied.config.channels.webhook['support']?.tools ?? 'nothing';
        expect(found.policy.parts.snapshot.tools.allowed).toEqual(
          naiveValues(applied, 'ada', { tools: tools === '*' ? ['*'] : tools })['tools.allowed'],
        );
      }),
      { numRuns: 50 },
    );
  });
});
