import { z } from 'zod';
import { aliasSchema, roleSchema } from './names.ts';
import { limitSchema, policySnapshotSchema } from './snapshot.ts';
import { settingKeys, type SettingKey } from './setting-key.ts';

/** Who acts. `person` is the entry of `[people]` that holds this identity, or null. */
export const principalSchema = z.strictObject({
  kind: z.enum(['token', 'peer', 'job', 'agent', 'local']),
  id: z.string().min(1),
  person: aliasSchema.nullable(),
  /** Of an agent that acts for somebody whom `[people]` does not hold: the identity at the root, `kind:id`; null = for nobody. */
  behind: z.string().nullable().optional(),
});
export type Principal = z.infer<typeof principalSchema>;

/** What a path or caller takes away: values in snapshot form, by setting. Met with the policy, so it can only narrow. */
export const narrowingSchema = z.partialRecord(
  z.enum(settingKeys as [SettingKey, ...SettingKey[]]),
  z.json(),
);
export type Narrowing = z.infer<typeof narrowingSchema>;

/** Where a request comes from, by id. resolve() finds out what that takes away. */
export const originSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('channel'), binding: z.string() }),
  z.strictObject({ kind: z.literal('json_rpc'), connection: z.string() }),
  z.strictObject({ kind: z.literal('acp'), connection: z.string() }),
  z.strictObject({ kind: z.literal('rest'), token: z.string() }),
  z.strictObject({ kind: z.literal('websocket'), token: z.string() }),
  z.strictObject({ kind: z.literal('openai'), token: z.string() }),
  z.strictObject({ kind: z.literal('cron'), job: z.string() }),
  z.strictObject({ kind: z.literal('heartbeat') }),
  z.strictObject({ kind: z.literal('run') }),
  z.strictObject({ kind: z.literal('subagent'), parent: z.string() }),
  z.strictObject({ kind: z.literal('delegate'), parent: z.string(), edge: aliasSchema }),
  z.strictObject({
    kind: z.literal('sop'),
    run: z.string(),
    step: z.string(),
    parent: z.union([z.string(), z.literal('none')]),
  }),
  z.strictObject({
    kind: z.literal('peer'),
    parent: z.string(),
    group: aliasSchema,
    channel: z.string(),
  }),
]);
export type Origin = z.infer<typeof originSchema>;

export const resolveRequestSchema = z.strictObject({
  agent: z.string(),
  principal: principalSchema,
  session: z.string(),
  origin: originSchema,
  client: z.union([narrowingSchema, z.literal('none')]),
});
/** What a path adapter passes on: ids, and what only the client can say. Never a policy word. */
export type ResolveRequest = z.infer<typeof resolveRequestSchema>;

/** A token as folded from the access stream. Scopes are patterns; `["*"]` is all. */
export const tokenRecordSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  roles: z.array(roleSchema),
  scopes: z.strictObject({ agents: z.array(z.string()), tools: z.array(z.string()) }),
});
export type TokenRecord = z.infer<typeof tokenRecordSchema>;

/** What the log says about the ids that an origin names. A named origin without its record is a problem. */
export const resolveRecordsSchema = z.strictObject({
  token: tokenRecordSchema.optional(),
  job: z
    .strictObject({
      name: z.string(),
      agent: aliasSchema,
      tools: z.array(z.string()).nullable(),
      usesMemory: z.boolean(),
      narrowing: narrowingSchema,
      depth: z.int().min(0),
    })
    .optional(),
  connection: z.strictObject({ id: z.string(), narrowing: narrowingSchema }).optional(),
  sopRun: z
    .strictObject({
      id: z.string(),
      sop: aliasSchema,
      step: z.string(),
      scope: z.array(z.string()).nullable(),
      /** What held for who started the run, beside the policy of a parent turn. Absent: nothing. */
      narrowings: z
        .array(z.strictObject({ whose: z.string(), values: narrowingSchema }))
        .optional(),
      /** Levels of turns above the run. Absent: none. */
      depth: z.int().min(0).optional(),
    })
    .optional(),
  parent: z
    .strictObject({
      turn: z.string(),
      /** The parent's effective policy: the ceiling of a bounded child. */
      snapshot: policySnapshotSchema,
      /** Accumulated narrowings, made by `inheritedNarrowings` of the parent; they reach every descendant. */
      narrowings: z.array(z.strictObject({ whose: z.string(), values: narrowingSchema })),
      depth: limitSchema,
      /** Extra narrowing of this spawn, from the tool's own arguments. */
      spawn: narrowingSchema,
    })
    .optional(),
});
export type ResolveRecords = z.infer<typeof resolveRecordsSchema>;

/** Where on this machine paths are anchored; recorded with each applied config so that resolution needs no I/O. */
export const hostSchema = z.strictObject({
  home: z.string(),
  /** Folder of the config file. */
  base: z.string(),
  /** Data folder. */
  data: z.string(),
  /** The config file itself. */
  config: z.string(),
  /** The program's own folders and files that no agent may touch. */
  program: z.array(z.string()),
});
export type Host = z.infer<typeof hostSchema>;
