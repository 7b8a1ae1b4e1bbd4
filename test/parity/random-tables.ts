import fc from 'fast-check';
import type { Fragment } from './config.ts';

/** A table of which any part may be left out. */
export const some = (shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Fragment> =>
  fc.record(shape, { requiredKeys: [] });

/** A list of tools as config writes one. */
export const toolList = fc.oneof(
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

/** What a risk profile, or an agent itself, may say. */
export const risk = some({
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
/** What a runtime profile, or an agent itself, may say. */
export const runtime = some({
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
/** One MCP server. */
export const server = some({
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
