import { z } from 'zod';
import { accessModeSchema, operandDeclaration } from './config/values.schema.ts';
import { aliasSchema, effectSchema } from './names.ts';

/** A number in its own unit, or no limit. */
export const limitSchema = z.union([z.int().min(0), z.literal('unlimited')]);
export type Limit = z.infer<typeof limitSchema>;

/** *All of* the clauses must match, each clause is *any of* its patterns. `[["*"]]` is all, `[[]]` is none; an empty
 * outer list is invalid. Clauses and patterns are sorted and free of duplicates. */
export const clausesSchema = z.array(z.array(z.string())).min(1);
export type Clauses = z.infer<typeof clausesSchema>;

/** *Any of* these patterns denies. Sorted, free of duplicates. */
export const denyPatternsSchema = z.array(z.string());

export const pricesMicroSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('free') }),
  z.strictObject({ kind: z.literal('unknown') }),
  /** Micro-dollars a million tokens. */
  z.strictObject({
    kind: z.literal('priced'),
    input: z.int().min(0),
    output: z.int().min(0),
    cachedInput: z.int().min(0),
  }),
]);
export type PricesMicro = z.infer<typeof pricesMicroSchema>;

export const providerPolicySchema = z.strictObject({
  alias: aliasSchema,
  type: z.enum(['scripted', 'openai_compatible', 'openai', 'anthropic']),
  model: z.string(),
  /** SHA-256 of the canonical config entry, secrets as references. */
  digest: z.string(),
  prices: pricesMicroSchema,
  timeout_secs: z.int(),
  max_attempts: z.int(),
});

const mcpServerPolicySchema = z.strictObject({
  transport: z.enum(['stdio', 'http']),
  /** SHA-256 of the canonical config entry, secrets as references. */
  digest: z.string(),
  network: z.boolean(),
});

/** The resolved values of one agent for one request: plain JSON, equal policy is equal canonical bytes. Keys below a surface
 * are the registry's; `registry`, `agent`, `provider`, `workspace.protected`, `workspace.protected_except`,
 * `workspace.siblings`, `skills.directories`, `mcp.repeatable` and `mcp.servers` are facts that the settings need and no settings themselves. */
export const policySnapshotSchema = z.strictObject({
  registry: z.int(),
  agent: aliasSchema,
  provider: providerPolicySchema,
  tools: z.strictObject({ allowed: clausesSchema, denied: denyPatternsSchema }),
  approval: z.strictObject({
    autonomy: z.enum(['read_only', 'supervised', 'full']),
    auto_approve: clausesSchema,
    always_ask: denyPatternsSchema,
    approvers_required: z.int().min(1).max(10),
    four_eyes: z.boolean(),
    route: z.strictObject({ approver: z.string(), on_no_approver: z.enum(['deny', 'queue']) }),
    timeout_secs: limitSchema,
    grant_ttl_secs: limitSchema,
  }),
  budgets: z.strictObject({
    max_tool_iterations: limitSchema,
    max_parallel_tools: limitSchema,
    max_tool_result_chars: limitSchema,
    max_output_tokens: limitSchema,
    loop_detection: z.strictObject({
      window: z.int().min(1).max(1000),
      max_repeats: z.int().min(1).max(1000),
    }),
    max_tool_calls: limitSchema,
    max_tokens_per_turn: limitSchema,
    /** Micro-dollars. */
    max_cost_usd_per_turn: limitSchema,
    turn_timeout_secs: limitSchema,
    tool_timeout_secs: limitSchema,
    max_actions_per_hour: limitSchema,
    /** Micro-dollars. */
    max_cost_usd_per_day: limitSchema,
    warn_at_percent: z.int().min(1).max(100),
  }),
  context: z.strictObject({
    max_history_messages: limitSchema,
    max_context_tokens: limitSchema,
    keep_tool_results_turns: limitSchema,
    max_system_prompt_chars: limitSchema,
    identity: z.strictObject({ files: z.array(z.string()), writable: z.boolean() }),
  }),
  memory: z.strictObject({
    backend: z.enum(['none', 'markdown', 'sqlite']),
    auto_recall: z.boolean(),
    recall_limit: limitSchema,
    read_memory_from: z.array(aliasSchema),
    share: z.enum(['person', 'agent']),
    writable: z.boolean(),
    retention_days: limitSchema,
  }),
  skills: z.strictObject({
    bundles: z.array(aliasSchema),
    allow_scripts: z.boolean(),
    prompt_mode: z.enum(['compact', 'full']),
    /** Absolute folder of each bundle that the agent has. Absent in snapshots of the first registry. */
    directories: z.record(aliasSchema, z.string()).optional(),
  }),
  workspace: z.strictObject({
    /** Absolute. */
    root: z.string(),
    workspace_only: z.boolean(),
    access: z.record(aliasSchema, accessModeSchema),
    /** Absolute, sorted. */
    allowed_roots: z.array(z.string()),
    /** Absolute paths and, with a leading double star, patterns that hold below every root. Sorted. */
    forbidden_paths: denyPatternsSchema,
    unrestricted_filesystem: z.boolean(),
    /** Absolute paths that no setting can open. Sorted. */
    protected: z.array(z.string()),
    /** Absolute paths below a protected one that stay open, unless a deeper protected one closes them again. Sorted. */
    protected_except: z.array(z.string()),
    /** Every other agent's root and the forbidden paths that come along with it. */
    siblings: z.record(
      aliasSchema,
      z.strictObject({ root: z.string(), forbidden_paths: denyPatternsSchema }),
    ),
  }),
  shell: z.strictObject({
    allowed_commands: clausesSchema,
    env_passthrough: z.array(z.string()),
    block_high_risk: z.boolean(),
    sandbox: z.enum(['required', 'preferred', 'off']),
  }),
  network: z.strictObject({ allowed_hosts: clausesSchema, block_private_addresses: z.boolean() }),
  mcp: z.strictObject({
    bundles: z.array(aliasSchema),
    /** By server, for the servers of the bundles; patterns on the server's own tool names. */
    expose: z.record(aliasSchema, clausesSchema),
    /** By server and tool. A tool that is not named here has every effect. */
    effects: z.record(aliasSchema, z.record(z.string(), z.array(effectSchema))),
    /** By server and tool. A tool that is not named here has undeclared operands. */
    operands: z.record(
      aliasSchema,
      z.record(z.string(), z.union([z.literal('none'), z.array(operandDeclaration)])),
    ),
    /** By server and tool: the tools that may be run again after a crash. */
    repeatable: z.record(aliasSchema, z.array(z.string())),
    run: z.record(aliasSchema, z.enum(['sandboxed', 'trusted'])),
    share: z.record(aliasSchema, z.enum(['session', 'agent'])),
    servers: z.record(aliasSchema, mcpServerPolicySchema),
  }),
  delegation: z.strictObject({
    mode: z.enum(['forbidden', 'allow']),
    delegates: z.record(aliasSchema, z.enum(['bounded', 'independent'])),
    max_depth: limitSchema,
    spawn: z.boolean(),
    sops: z.array(aliasSchema),
  }),
  channels: z.strictObject({
    bindings: z.array(z.string()),
    /** By channel: the external peers that may write to this agent (`*` = anyone), those that may not whatever `inbound` says, and
     * the agents it may message. */
    peers: z.record(
      z.string(),
      z.strictObject({
        inbound: z.array(z.string()),
        ignore: z.array(z.string()),
        agents: z.array(aliasSchema),
      }),
    ),
  }),
  secrets: z.strictObject({ unseal: clausesSchema }),
  output: z.strictObject({
    redact: z.boolean(),
    max_reply_chars: limitSchema,
    stream: z.boolean(),
  }),
});
export type PolicySnapshot = z.infer<typeof policySnapshotSchema>;
