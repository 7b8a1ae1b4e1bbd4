import type { PolicySnapshot } from '@lockstep/policy';

/** Values to put in the place of the sample's, by surface and key. */
export type PolicyChanges = {
  readonly [S in keyof PolicySnapshot]?: PolicySnapshot[S] extends object
    ? Partial<PolicySnapshot[S]>
    : PolicySnapshot[S];
};

/** A complete snapshot for specs: agent `ada` in `/ws/ada`, supervised, offered every tool, with the sibling `bob` and the MCP server
 * `files`; it reaches no host and asks nobody else. */
export const samplePolicy = (changes: PolicyChanges = {}): PolicySnapshot => {
  const base = sample();
  const surfaces = Object.entries(base).map(([key, value]) => {
    const change: unknown = Object.hasOwn(changes, key)
      ? changes[key as keyof PolicySnapshot]
      : undefined;
    if (change === undefined) return [key, value];
    return [key, typeof change === 'object' ? Object.assign({}, value, change) : change];
  });
  return Object.fromEntries(surfaces) as PolicySnapshot;
};

const limits = (): PolicySnapshot['budgets'] => ({
  max_tool_iterations: 10,
  max_parallel_tools: 4,
  max_tool_result_chars: 50_000,
  max_output_tokens: 4_096,
  loop_detection: { window: 20, max_repeats: 3 },
  max_tool_calls: 30,
  max_tokens_per_turn: 200_000,
  max_cost_usd_per_turn: 1_000_000,
  turn_timeout_secs: 600,
  tool_timeout_secs: 60,
  max_actions_per_hour: 120,
  max_cost_usd_per_day: 10_000_000,
  warn_at_percent: 80,
});

const workspace = (): PolicySnapshot['workspace'] => ({
  root: '/ws/ada',
  workspace_only: true,
  access: {},
  allowed_roots: [],
  forbidden_paths: ['**/.env', '**/.env.*', '/etc'],
  unrestricted_filesystem: false,
  protected: ['/data'],
  protected_except: ['/data/workspaces'],
  siblings: { bob: { root: '/ws/bob', forbidden_paths: ['**/.secret', '/ws/bob/private'] } },
});

const mcp = (): PolicySnapshot['mcp'] => ({
  bundles: ['files'],
  expose: { files: [['*']] },
  effects: { files: { read_text_file: ['read'] } },
  operands: { files: { read_text_file: [{ kind: 'path', at: '/path', access: 'read' }] } },
  repeatable: { files: ['read_text_file'] },
  run: { files: 'sandboxed' },
  share: { files: 'session' },
  servers: { files: { transport: 'stdio', digest: 'a'.repeat(64), network: false } },
});

const sample = (): PolicySnapshot => ({
  registry: 2,
  agent: 'ada',
  provider: {
    alias: 'local',
    type: 'scripted',
    model: 'script',
    digest: 'b'.repeat(64),
    prices: { kind: 'free' },
    timeout_secs: 60,
    max_attempts: 3,
  },
  tools: { allowed: [['*']], denied: [] },
  approval: {
    autonomy: 'supervised',
    auto_approve: [[]],
    always_ask: [],
    approvers_required: 1,
    four_eyes: false,
    route: { approver: 'inbox', on_no_approver: 'queue' },
    timeout_secs: 900,
    grant_ttl_secs: 3_600,
  },
  budgets: limits(),
  context: {
    max_history_messages: 50,
    max_context_tokens: 32_000,
    keep_tool_results_turns: 2,
    max_system_prompt_chars: 20_000,
    identity: { files: [], writable: false },
  },
  memory: {
    backend: 'none',
    auto_recall: false,
    recall_limit: 0,
    read_memory_from: [],
    share: 'person',
    writable: false,
    retention_days: 365,
  },
  skills: { bundles: [], allow_scripts: false, prompt_mode: 'compact' },
  workspace: workspace(),
  shell: {
    allowed_commands: [[]],
    env_passthrough: [],
    block_high_risk: true,
    sandbox: 'required',
  },
  network: { allowed_hosts: [[]], block_private_addresses: true },
  mcp: mcp(),
  delegation: { mode: 'forbidden', delegates: {}, max_depth: 0, spawn: false, sops: [] },
  channels: { bindings: [], peers: {} },
  secrets: { unseal: [[]] },
  output: { redact: true, max_reply_chars: 20_000, stream: true },
});
