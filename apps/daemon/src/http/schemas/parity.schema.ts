import { z } from 'zod';
import { pathNameSchema, settingKeys, type SettingKey } from '@lockstep/policy';
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

const cell = z.looseObject({
  state: z.string(),
  kind: z.string().optional(),
  reason: z.string().optional(),
  since: z.int().nullable(),
});

export const paritySchema = z
  .strictObject({
    position: z.string(),
    figure: z.strictObject({ enforced: z.int(), of: z.int() }),
    rows: z.array(
      z.strictObject({
        setting: z.string(),
        surface: z.string(),
        cells: z.record(z.string(), cell),
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
  .looseObject({
    setting: z.string(),
    path: z.string(),
    explain: z.string(),
    cell,
    evidence: z.array(z.looseObject({ agent: z.string(), state: z.string() })),
  })
  .meta({ id: 'ParityCell' });

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
