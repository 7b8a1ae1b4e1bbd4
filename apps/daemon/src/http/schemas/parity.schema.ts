import { z } from 'zod';
import { pathNameSchema, settingKeys, triggerSchema, type SettingKey } from '@lockstep/policy';
import { agentQuery } from './common.schema.ts';

export const settingParam = z.enum(settingKeys as [SettingKey, ...SettingKey[]]);
export const pathParam = pathNameSchema;

export const parityQuery = z.strictObject({
  agent: agentQuery,
  /** What this config version expects, and its turns; absent = the one in force. */
  version: z.coerce.number().int().min(1).optional(),
});
export type ParityAsked = z.infer<typeof parityQuery>;
export const rebuildBody = z
  .strictObject({ name: z.string().min(1).max(64).optional() })
  .prefault({})
  .meta({ id: 'Rebuild' });
export type RebuildBody = z.output<typeof rebuildBody>;

const states = z.enum(['gap', 'unobserved', 'held', 'enforced', 'n/a']);
const gapKinds = z.enum(['wider', 'narrower', 'missing', 'violated']);
const counts = z.strictObject({ turns: z.int(), bites: z.int() });

const shown = {
  state: states,
  kind: gapKinds.optional(),
  reason: z.string().optional(),
  /** Config version since which the expected value stands. */
  since: z.int().nullable(),
};

const triggerCell = z.strictObject({
  ...shown,
  turns: z.int(),
  lastSeen: z.int().nullable(),
  /** Events in which the setting acted: of turns that were asked for, and of probes. */
  bites: z.strictObject({ live: z.int(), probe: z.int() }),
  /** Of the turns, those of probes. */
  probes: z.int(),
});

const cell = z.strictObject({
  ...shown,
  triggers: z.partialRecord(triggerSchema, triggerCell),
});

export const paritySchema = z
  .strictObject({
    position: z.string(),
    figure: z.strictObject({ enforced: z.int(), of: z.int() }),
    rows: z.array(
      z.strictObject({
        setting: settingParam,
        surface: z.string(),
        cells: z.record(pathNameSchema, cell),
      }),
    ),
    /** The figure of the whole matrix over time, oldest first; empty where an agent or a version is chosen. */
    trend: z.array(
      z.strictObject({
        position: z.string(),
        time: z.int(),
        enforced: z.int(),
        of: z.int(),
      }),
    ),
    /** Places where numbered events of an agent are not in the log. */
    missing: z.array(
      z.strictObject({
        agent: z.string(),
        after: z.int(),
        next: z.int(),
        position: z.string(),
        time: z.int(),
      }),
    ),
    agents: z.array(z.string()),
    configVersions: z.array(z.int()),
  })
  .meta({ id: 'Parity' });

export const parityCellSchema = z
  .strictObject({
    setting: settingParam,
    path: pathNameSchema,
    explain: z.string(),
    cell,
    /** One entry for each agent, trigger and expected value. */
    evidence: z.array(
      z.strictObject({
        agent: z.string(),
        trigger: triggerSchema,
        state: states,
        kind: gapKinds.optional(),
        reason: z.string().optional(),
        /** Canonical JSON of the values. */
        expected: z.string(),
        seen: z.string().nullable(),
        ...counts.shape,
        live: counts,
        probe: counts,
        /** The last gap that came to an end. */
        ended: z
          .strictObject({
            kind: gapKinds,
            reason: z.string(),
            seen: z.int(),
            ended: z.int(),
            build: z.string(),
          })
          .nullable(),
        firstSeen: z.int().nullable(),
        lastSeen: z.int().nullable(),
        turnIds: z.array(z.string()),
        events: z.array(
          z.strictObject({
            id: z.string(),
            turn: z.string(),
            position: z.string(),
            what: z.enum(['witness', 'objection']),
            note: z.string(),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'ParityCell' });

/** What is to be probed; absent = all. */
export const probesBody = z
  .strictObject({
    agent: agentQuery,
    path: pathNameSchema.optional(),
    /** Record only what shows something of this setting. */
    setting: settingParam.optional(),
  })
  .prefault({})
  .meta({ id: 'StartProbes' });
export type ProbesBody = z.output<typeof probesBody>;

/** A run of probes. While it runs, ask again: `progress` moves. */
export const probesSchema = z
  .strictObject({
    id: z.string(),
    status: z.enum(['running', 'completed', 'failed']),
    by: z.string(),
    agent: z.string().nullable(),
    path: pathNameSchema.nullable(),
    setting: settingParam.nullable(),
    configVersion: z.int(),
    started: z.int(),
    ended: z.int().nullable(),
    /** Attacks done, of how many, and which runs now; `of` is 0 until that is known. */
    progress: z.strictObject({ done: z.int(), of: z.int(), what: z.string() }),
    /** Turns that were tried, and those that are recorded. */
    tried: z.int(),
    recorded: z.int(),
    /** Attacks that did not come to an end, and ways that led to no turn. */
    problems: z.array(z.string()),
    /** Why it failed. */
    failure: z.string().nullable(),
    /** The recorded turns that played an attack; `GET /v1/turns/{turn}` shows each. */
    turns: z.array(
      z.strictObject({
        turn: z.string(),
        agent: z.string(),
        trigger: triggerSchema,
        attack: z.string(),
      }),
    ),
  })
  .meta({ id: 'Probes' });
export type ProbesAnswer = z.infer<typeof probesSchema>;

export const probesListSchema = z
  .strictObject({ items: z.array(probesSchema), next: z.null() })
  .meta({ id: 'ProbesList' });

export const projectionListSchema = z
  .strictObject({
    items: z.array(
      z.strictObject({
        name: z.string(),
        version: z.int(),
        state: z.enum(['live', 'catching_up', 'failed']),
        position: z.string(),
        /** Positions between this read model and the end of the log. */
        lag: z.int(),
        failure: z.looseObject({ message: z.string() }).nullable(),
      }),
    ),
    next: z.null(),
  })
  .meta({ id: 'ProjectionList' });
export const healthSchema = z.looseObject({ status: z.string() }).meta({ id: 'Health' });
