import { z } from 'zod';
import type { Config } from './config/config.schema.ts';
import { type Host, narrowingSchema } from './request.ts';
import { settingKeys, type SettingKey } from './setting-key.ts';

/** A config that the daemon accepted: what `ConfigApplied` recorded. */
export interface AppliedConfig {
  readonly version: number;
  /** SHA-256 of the canonical JSON of `config`, hex. */
  readonly digest: string;
  readonly config: Config;
  readonly host: Host;
}

export const provenanceSourceSchema = z.enum([
  'default',
  'risk_profile',
  'runtime_profile',
  'agent',
  'narrowing',
  'ceiling',
  'edge_grant',
  'closure',
  // No policy says so any more: policies of the first registry do, for settings that nothing enforced then.
  'later',
]);

/** Where one resolved value came from. `name` is the profile, the narrowing's owner or the edge; `path` is the key in config. */
export const provenanceEntrySchema = z.strictObject({
  key: z.enum(settingKeys as [SettingKey, ...SettingKey[]]),
  source: provenanceSourceSchema,
  name: z.string().nullable(),
  path: z.string().nullable(),
});
export type ProvenanceEntry = z.infer<typeof provenanceEntrySchema>;

/** One narrowing that applied, or that this origin could have had and did not (`values: 'none'`). */
export const appliedNarrowingSchema = z.strictObject({
  whose: z.string(),
  why: z.string(),
  values: z.union([narrowingSchema, z.literal('none')]),
});
export type AppliedNarrowing = z.infer<typeof appliedNarrowingSchema>;

export const resolutionProblemSchema = z.strictObject({
  code: z.enum([
    'unknown_agent',
    'disabled_agent',
    'incomplete_agent',
    'missing_record',
    'origin_not_supported',
    'not_permitted',
    'widening_refused',
    'invalid_narrowing',
    'depth_exceeded',
  ]),
  message: z.string(),
  path: z.string().nullable(),
});
export type ResolutionProblem = z.infer<typeof resolutionProblemSchema>;
