import type { PolicySnapshot } from '@lockstep/policy';

type Workspace = PolicySnapshot['workspace'];

/** A snapshot for specs of adapters, which read single parts of it: everything allowed inside one root, nothing else. */
export const snapshotOf = (
  root: string,
  change: {
    readonly workspace?: Partial<Workspace>;
    readonly mcp?: Partial<PolicySnapshot['mcp']>;
    readonly network?: Partial<PolicySnapshot['network']>;
    readonly secrets?: PolicySnapshot['secrets'];
    readonly output?: Partial<PolicySnapshot['output']>;
    readonly agent?: string;
  } = {},
): PolicySnapshot => ({
  registry: 1,
  agent: change.agent ?? 'writer',
  provider: {
    alias: 'local',
    type: 'scripted',
    model: 'scripted',
    digest: 'p'.repeat(64),
    prices: { kind: 'free' },
    timeout_secs: 10,
    max_attempts: 1,
  },
  tools: { allowed: [['*']], denied: [] },
  approval: {
    autonomy: 'full',
    auto_approve: [[]],
    always_ask: [],
    approvers_required: 1,
    four_eyes: false,
    route: { approver: 'inbox', on_no_approver: 'deny' },
    timeout_secs: 900,
    grant_ttl_secs: 3600,
  },
  budgets: {
    max_tool_iterations: 10,
    max_parallel_tools: 4,
    max_tool_result_chars: 50_000,
    max_output_tokens: 4096,
    loop_detection: { window: 20, max_repeats: 3 },
    max_tool_calls: 30,
    max_tokens_per_turn: 200_000,
    max_cost_usd_per_turn: 1_000_000,
    turn_timeout_secs: 600,
    tool_timeout_secs: 60,
    max_actions_per_hour: 120,
    max_cost_usd_per_day: 10_000_000,
    warn_at_percent: 80,
  },
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
    retention_days: 0,
  },
  skills: { bundles: [], allow_scripts: false, prompt_mode: 'compact' },
  workspace: {
    root,
    workspace_only: true,
    access: {},
    allowed_roots: [],
    forbidden_paths: ['**/.env', '**/.env.*', '/etc', '/proc'],
    unrestricted_filesystem: false,
    protected: [],
    protected_except: [],
    siblings: {},
    ...change.workspace,
  },
  shell: {
    allowed_commands: [[]],
    env_passthrough: [],
    block_high_risk: true,
    sandbox: 'required',
  },
  network: { allowed_hosts: [[]], block_private_addresses: true, ...change.network },
  mcp: {
    bundles: [],
    expose: {},
    effects: {},
    operands: {},
    repeatable: {},
    run: {},
    share: {},
    servers: {},
    ...change.mcp,
  },
  delegation: { mode: 'forbidden', delegates: {}, max_depth: 0, spawn: false, sops: [] },
  channels: { bindings: [], peers: {} },
  secrets: change.secrets ?? { unseal: [[]] },
  output: { redact: true, max_reply_chars: 20_000, stream: true, ...change.output },
});
