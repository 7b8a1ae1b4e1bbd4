import { enforcedKeys, resolve, type AppliedConfig } from '@lockstep/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configWith, type Fragment } from './config.ts';
import { seamDrivers } from './driver.ts';
import { naiveValues } from './naive-config.ts';
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
    route: some({ on_no_approver: fc.constantFrom('queue', 'deny') }),
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
  }),
  context: some({
    max_history_messages: limit(0),
    max_context_tokens: limit(256),
    keep_tool_results_turns: limit(0),
    max_system_prompt_chars: limit(200),
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
    agent: fc.tuple(risk, runtime, some({ mcp_bundles: fc.subarray(['one', 'two']) })),
    risk,
    runtime,
    servers: fc.record({ files: server, notes: server }),
    bundle: fc.subarray(['files', 'notes']),
  })
  .map(({ agent, risk: careful, runtime: short, servers, bundle }) =>
    configWith(
      { ...agent[0], ...agent[1], ...agent[2] },
      {
        risk_profiles: { careful },
        runtime_profiles: { short },
        mcp: { servers },
        mcp_bundles: { one: { servers: bundle }, two: { servers: ['notes'] } },
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
        { numRuns: 150 },
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
      { numRuns: 100 },
    );
  });
});
