import { z } from 'zod';
import { aliasSchema, effectSchema, settingKeys, type SettingKey } from '@lockstep/policy';
import { contentSchema, digestSchema } from './content.ts';

export const settingKeySchema = z.enum(settingKeys as [SettingKey, ...SettingKey[]]);

/** The gate's own steps that belong to no setting. */
export const gateRuleSchema = z.enum([
  'gate.stopped',
  'gate.paused',
  'gate.unknown_tool',
  'gate.not_advertised',
  'gate.arguments',
  'gate.approval_stale',
  'gate.unsettled_outcome',
  /** A skill that this turn activated offers other tools only. */
  'gate.skill_tools',
]);
export const ruleIdSchema = z.union([settingKeySchema, gateRuleSchema]);
export type RuleId = z.infer<typeof ruleIdSchema>;

export const configRefSchema = z.strictObject({ version: z.int().min(1), digest: digestSchema });
export type ConfigRef = z.infer<typeof configRefSchema>;

/** Canonical tool identity: `builtin:file_read`, `mcp:<server>/<tool>`, `skill:<skill>/<script>`. */
export const toolIdSchema = z.string().regex(/^(builtin|mcp|skill):.+$/);

/** Real path of the nearest existing ancestor joined with the rest; `null` when it cannot be found out. */
const realPath = z.string().nullable();

/** Something that a call touches. */
export const operandSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('path'),
    access: z.enum(['read', 'write', 'read_write']),
    /** As the arguments gave it. */
    given: z.string(),
    /** Absolute, `.` and `..` removed by text alone. */
    lexical: z.string(),
    real: realPath,
    exists: z.boolean(),
    /** SHA-256 of the content where the call overwrites or edits an existing regular file. */
    content: digestSchema.nullable(),
  }),
  z.strictObject({
    kind: z.literal('url'),
    given: z.string(),
    scheme: z.string(),
    host: z.string(),
    port: z.int(),
    method: z.string(),
    /** Every address that the name resolved to, at the verdict. Empty when it did not. */
    addresses: z.array(z.strictObject({ address: z.string(), private: z.boolean() })),
  }),
  /** A line of shell. Not understood, it has no commands. */
  z.strictObject({
    kind: z.literal('command'),
    given: z.string(),
    understood: z.boolean(),
    /** Why it is not understood, or what of it runs other programs; null = neither. */
    why: z.string().nullable(),
    /** Every command of every pipeline, in the order of the text. */
    commands: z.array(
      z.strictObject({
        argv: z.array(z.string()).min(1),
        /** It is, or runs, a program that runs programs. */
        highRisk: z.boolean(),
      }),
    ),
    /** Whether the process would run inside a sandbox. */
    sandboxed: z.boolean(),
  }),
  /** Memory rows that a call reads or writes: whose, and of which person (null = rows of nobody). */
  z.strictObject({
    kind: z.literal('memory'),
    access: z.enum(['read', 'write']),
    agents: z.array(aliasSchema),
    person: z.string().nullable(),
    /** The row that is to be forgotten, and whose it is; null when there is none. */
    row: z.strictObject({ id: z.string(), agent: aliasSchema }).nullable(),
  }),
  /** Another agent, or the same one for `spawn`. */
  z.strictObject({
    kind: z.literal('agent'),
    given: z.string(),
    how: z.enum(['delegate', 'spawn', 'message']),
    /** The channel of a message to a peer. */
    channel: z.string().nullable(),
  }),
  z.strictObject({ kind: z.literal('sop'), given: z.string(), exists: z.boolean() }),
  z.strictObject({
    kind: z.literal('job'),
    given: z.string(),
    /** Whose job of that name there is; null = none. */
    owner: aliasSchema.nullable(),
    /** It stands in config, so no tool may change it. */
    fixed: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('skill'),
    given: z.string(),
    /** The bundle that holds it; null = no skill of that name. */
    bundle: aliasSchema.nullable(),
    digest: digestSchema.nullable(),
  }),
  z.strictObject({ kind: z.literal('undeclared') }),
]);
export type Operand = z.infer<typeof operandSchema>;

/** Real paths of the roots that the policy names, as they stood at the verdict. */
export const rootsFactSchema = z.strictObject({
  root: realPath,
  allowed: z.array(z.strictObject({ path: z.string(), real: realPath })),
  siblings: z.record(aliasSchema, realPath),
  /** Real paths of forbidden and protected plain paths, where they exist and differ. */
  denied: z.array(z.strictObject({ path: z.string(), real: realPath })),
});
export type RootsFact = z.infer<typeof rootsFactSchema>;

/** Use and remainder of a cap that binds, at the verdict. */
export const capUseSchema = z.strictObject({
  key: settingKeySchema,
  /** Turn id or agent alias that the cap belongs to. */
  scope: z.string(),
  cap: z.union([z.int(), z.literal('unlimited')]),
  /** In the unit of the key; a cost of which a part has no price is unknown, never zero. */
  used: z.union([z.int(), z.literal('unknown')]),
  reserved: z.int(),
});
export type CapUse = z.infer<typeof capUseSchema>;

/** All that a verdict read outside its stream, so that it can be derived again from the log. */
export const factsSchema = z.strictObject({
  now: z.int(),
  config: configRefSchema,
  /** Digest of the effective policy. */
  policy: digestSchema,
  stopped: z.boolean(),
  paused: z.boolean(),
  /** Digest of the tool's spec (name, description, schema, effects, operands); null if unknown. */
  spec: digestSchema.nullable(),
  /** The server runs sandboxed on exactly the effective roots. */
  confined: z.boolean(),
  operands: z.array(operandSchema),
  /** Null when no operand is a path. */
  roots: rootsFactSchema.nullable(),
  caps: z.array(capUseSchema),
  /** Standing grants that match agent, tool, spec, person and arguments, unexpired. */
  grants: z.array(z.string()),
  /** An unsettled outcome of the same tool and arguments in this session. */
  unsettled: z.string().nullable(),
});
export type Facts = z.infer<typeof factsSchema>;

/** What the tool really did, as the port saw it. */
export const touchedSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('opened'),
    path: z.string(),
    access: z.enum(['read', 'write']),
  }),
  z.strictObject({
    kind: z.literal('connected'),
    host: z.string(),
    port: z.int(),
    address: z.string(),
    scheme: z.string(),
  }),
  z.strictObject({
    kind: z.literal('mcp'),
    server: aliasSchema,
    tool: z.string(),
    /** Digest of (agent, principal, session, roots, server) or (agent, server), as `mcp.share` says. */
    connection: digestSchema,
    sandboxed: z.boolean(),
    roots: z.array(z.string()),
  }),
  z.strictObject({
    kind: z.literal('executed'),
    argv: z.array(z.string()),
    digest: digestSchema,
    /** Whether the process ran inside the sandbox, and the names of the variables of the daemon that it was given. Absent in old logs. */
    sandboxed: z.boolean().optional(),
    env: z.array(z.string()).optional(),
  }),
  z.strictObject({ kind: z.literal('recalled'), rows: z.array(z.string()) }),
  z.strictObject({ kind: z.literal('stored'), rows: z.array(z.string()) }),
  z.strictObject({ kind: z.literal('forgot'), rows: z.array(z.string()) }),
  /** A turn of an agent that the call started or took up. */
  z.strictObject({ kind: z.literal('child'), turn: z.string(), agent: aliasSchema }),
  z.strictObject({ kind: z.literal('sop'), run: z.string(), sop: aliasSchema }),
  z.strictObject({ kind: z.literal('job'), name: aliasSchema }),
]);
export type Touched = z.infer<typeof touchedSchema>;

/** A tool call as the model asked for it. */
export const askedCallSchema = z.strictObject({
  /** Unique in the turn. */
  call: z.string(),
  /** The name that the model used. */
  alias: z.string(),
  /** Raw text of the arguments, which may be broken JSON. */
  args: contentSchema,
});
export type AskedCall = z.infer<typeof askedCallSchema>;

export const usageSchema = z.strictObject({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  cachedInputTokens: z.int().min(0),
});
export type Usage = z.infer<typeof usageSchema>;

/** Micro-dollars, or unknown; unknown is never zero. */
export const costSchema = z.union([z.int().min(0), z.literal('unknown')]);

export const bindingSchema = digestSchema;

/** What one argument must be for a grant to cover a call: equal to a value, or a path below a folder. `at` is a JSON pointer. */
export const grantFieldSchema = z.union([
  z.strictObject({ at: z.string(), equals: z.json() }),
  z.strictObject({ at: z.string(), below: z.string() }),
]);
export type GrantField = z.infer<typeof grantFieldSchema>;

/** One tool as advertised to the model. */
export const toolSpecSchema = z.strictObject({
  id: toolIdSchema,
  /** Provider-safe name, one to one. */
  alias: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string(),
  /** JSON Schema of the arguments. */
  inputSchema: z.json(),
  effects: z.array(effectSchema),
  operands: z.union([
    z.literal('undeclared'),
    z.literal('none'),
    z.array(
      z.union([
        z.strictObject({
          kind: z.literal('path'),
          at: z.string(),
          access: z.enum(['read', 'write', 'read_write']),
        }),
        z.strictObject({ kind: z.literal('url'), at: z.string() }),
        z.strictObject({ kind: z.literal('command'), at: z.string() }),
        z.strictObject({
          kind: z.literal('agent'),
          at: z.string(),
          how: z.enum(['delegate', 'spawn', 'message']),
        }),
        z.strictObject({ kind: z.literal('sop'), at: z.string() }),
        z.strictObject({ kind: z.literal('job'), at: z.string() }),
        z.strictObject({ kind: z.literal('skill'), at: z.string() }),
        /** Stands at no place of the arguments: the call touches memory as such. */
        z.strictObject({
          kind: z.literal('memory'),
          at: z.string(),
          access: z.enum(['read', 'write']),
        }),
      ]),
    ),
  ]),
  repeatable: z.boolean(),
  digest: digestSchema,
});
export type ToolSpec = z.infer<typeof toolSpecSchema>;
/** Something that a tool declares to touch, and where in its arguments it stands. */
export type DeclaredOperand = Exclude<ToolSpec['operands'], string>[number];

/** Who decided, and from where. */
export const deciderSchema = z.strictObject({
  principal: z.string(),
  person: aliasSchema.nullable(),
  surface: z.enum(['rest', 'cli', 'console', 'websocket', 'acp', 'json_rpc', 'channel']),
  /** The binding and conversation, for a person of a channel. */
  where: z.string().optional(),
});
export type DecidedBy = z.infer<typeof deciderSchema>;
