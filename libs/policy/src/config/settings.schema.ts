import { z } from 'zod';
import { accessModeSchema, limitOf, patternList, usdLimit } from './values.schema.ts';
import { aliasSchema } from '../names.ts';

/** The value schema of every setting as it is written in config, by surface and key: the single source for
 * risk profiles, runtime profiles, agents and the registry. */
export const settingSchemas = {
  tools: { allowed: patternList, denied: patternList },
  approval: {
    auto_approve: patternList,
    always_ask: patternList,
    approvers_required: z.int().min(1).max(10),
    four_eyes: z.boolean(),
    route: z.strictObject({
      approver: z.string().min(1).optional(),
      on_no_approver: z.enum(['queue', 'deny']).optional(),
    }),
    timeout_secs: limitOf(1),
    grant_ttl_secs: limitOf(0),
  },
  budgets: {
    max_tool_iterations: limitOf(1),
    max_parallel_tools: limitOf(1, 64),
    max_tool_result_chars: limitOf(100),
    max_output_tokens: limitOf(1),
    loop_detection: z.strictObject({
      window: z.int().min(1).max(1000),
      max_repeats: z.int().min(1).max(1000),
    }),
    max_tool_calls: limitOf(0),
    max_tokens_per_turn: limitOf(1),
    max_cost_usd_per_turn: usdLimit,
    turn_timeout_secs: limitOf(1),
    tool_timeout_secs: limitOf(1),
    max_actions_per_hour: limitOf(0),
    max_cost_usd_per_day: usdLimit,
    warn_at_percent: z.int().min(1).max(100),
  },
  context: {
    max_history_messages: limitOf(0),
    max_context_tokens: limitOf(256),
    keep_tool_results_turns: limitOf(0),
    max_system_prompt_chars: limitOf(200),
    identity: z.strictObject({
      files: z.array(z.string().min(1)).optional(),
      writable: z.boolean().optional(),
    }),
  },
  memory: {
    backend: z.enum(['sqlite', 'markdown', 'none']),
    auto_recall: z.boolean(),
    recall_limit: limitOf(0),
    read_memory_from: z.array(aliasSchema),
    share: z.enum(['person', 'agent']),
    writable: z.boolean(),
    retention_days: limitOf(1),
  },
  skills: { allow_scripts: z.boolean(), prompt_mode: z.enum(['compact', 'full']) },
  workspace: {
    root: z.string().min(1),
    workspace_only: z.boolean(),
    access: z.record(aliasSchema, accessModeSchema),
    allowed_roots: z.array(z.string().min(1)),
    forbidden_paths: z.array(z.string().min(1)),
    unrestricted_filesystem: z.boolean(),
  },
  shell: {
    allowed_commands: patternList,
    env_passthrough: z.array(z.string().min(1)),
    block_high_risk: z.boolean(),
    sandbox: z.enum(['required', 'preferred', 'off']),
  },
  network: { allowed_hosts: patternList, block_private_addresses: z.boolean() },
  delegation: {
    mode: z.enum(['forbidden', 'allow']),
    max_depth: limitOf(0),
    spawn: z.boolean(),
    sops: z.array(aliasSchema),
  },
  secrets: { unseal: patternList },
  output: { redact: z.boolean(), max_reply_chars: limitOf(1), stream: z.boolean() },
} as const;

export const autonomySchema = z.enum(['read_only', 'supervised', 'full']);

type Shape = Record<string, z.ZodType>;
type Optional<S extends Shape> = { [K in keyof S]: z.ZodOptional<S[K]> };
const optionalTable = <S extends Shape>(shape: S) =>
  z.strictObject(
    Object.fromEntries(Object.entries(shape).map(([k, v]) => [k, v.optional()])) as Optional<S>,
  );

/** Tables that a risk profile or an agent may hold. */
export const riskTables = {
  autonomy: autonomySchema.optional(),
  tools: optionalTable(settingSchemas.tools).optional(),
  approval: optionalTable(settingSchemas.approval).optional(),
  workspace: optionalTable(settingSchemas.workspace).optional(),
  shell: optionalTable(settingSchemas.shell).optional(),
  network: optionalTable(settingSchemas.network).optional(),
  delegation: optionalTable(settingSchemas.delegation).optional(),
  secrets: optionalTable(settingSchemas.secrets).optional(),
  output: optionalTable(settingSchemas.output).optional(),
};

/** Tables that a runtime profile or an agent may hold. */
export const runtimeTables = {
  budgets: optionalTable(settingSchemas.budgets).optional(),
  context: optionalTable(settingSchemas.context).optional(),
  memory: optionalTable(settingSchemas.memory).optional(),
  skills: optionalTable(settingSchemas.skills).optional(),
};

const locked = z
  .array(z.string().min(1))
  .optional()
  .describe('Settings, as surface.key, that no agent under this profile may set.');

export const riskProfileSchema = z.strictObject({ ...riskTables, locked });
export const runtimeProfileSchema = z.strictObject({ ...runtimeTables, locked });
