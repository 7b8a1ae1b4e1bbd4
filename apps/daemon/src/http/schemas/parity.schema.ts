import { z } from 'zod';
import { pathNameSchema, settingKeys, type SettingKey } from '@lockstep/policy';

export const settingParam = z.enum(settingKeys as [SettingKey, ...SettingKey[]]);
export const pathParam = pathNameSchema;

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
    items: z.array(z.looseObject({ name: z.string(), position: z.string() })),
    next: z.null(),
  })
  .meta({ id: 'ProjectionList' });
export const healthSchema = z.looseObject({ status: z.string() }).meta({ id: 'Health' });
