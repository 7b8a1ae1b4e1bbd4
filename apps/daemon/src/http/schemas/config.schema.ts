import { z } from 'zod';
import { listOf } from '../cursor.ts';

const problem = z.strictObject({
  path: z.string(),
  line: z.int().nullable(),
  column: z.int().nullable(),
  message: z.string(),
});
const change = z.strictObject({
  path: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});

export const configBody = z
  .strictObject({
    /** The whole text of the file, in the file's own format. */
    text: z.string().max(4_000_000),
  })
  .meta({ id: 'ConfigText' });

export const configViewSchema = z
  .strictObject({
    version: z.int(),
    digest: z.string(),
    file: z.string(),
    /** The file as it stands; null when it cannot be read now. It may hold an edit that was rejected. */
    text: z.string().nullable(),
    config: z.looseObject({}),
  })
  .meta({ id: 'Config' });

export const jsonSchemaSchema = z
  .looseObject({ $schema: z.string() })
  .meta({ id: 'ConfigJsonSchema' });

export const checkSchema = z
  .strictObject({
    ok: z.boolean(),
    digest: z.string().nullable(),
    problems: z.array(problem),
    warnings: z.array(problem),
    diff: z.array(change),
    widens: z.array(z.string()),
  })
  .meta({ id: 'ConfigCheck' });

export const appliedSchema = z
  .strictObject({ version: z.int(), digest: z.string() })
  .meta({ id: 'ConfigApplied' });

export const versionParam = z.coerce.number().int().min(1);

const versionFields = {
  version: z.int(),
  digest: z.string(),
  time: z.int(),
  by: z.string(),
  widens: z.array(z.string()),
};
export const versionListSchema = listOf(
  z.strictObject(versionFields).meta({ id: 'ConfigVersionRow' }),
).meta({ id: 'ConfigVersionList' });
export const versionSchema = z
  .strictObject({ ...versionFields, diff: z.array(change), config: z.looseObject({}) })
  .meta({ id: 'ConfigVersion' });
