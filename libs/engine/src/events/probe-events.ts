import { z } from 'zod';
import { aliasSchema, pathNameSchema, triggerSchema } from '@lockstep/policy';
import { envelopeShape } from './envelope.ts';

/** An event of a throwaway log, whole and as it was: its own stream, revision, position and time. Read it with `probedEvents`. */
const probedEvent = z.strictObject({
  ...envelopeShape,
  type: z.string(),
  data: z.looseObject({}),
});

/** Payloads of `probe-<run>` streams. What a probe did is kept inside events of their own kind: no reader of turns, sessions, grants,
 * rows, jobs or budgets can take it for something that happened. */
export const probePayloads = {
  ProbesStarted: z.strictObject({
    by: z.string(),
    /** Null = all. */
    agent: aliasSchema.nullable(),
    path: pathNameSchema.nullable(),
    setting: z.string().nullable(),
    config: z.strictObject({ version: z.int().min(1), digest: z.string() }),
  }),
  /** What one attack over one trigger came to, in the order of the throwaway log; a long one in several events. */
  ProbeRecorded: z.strictObject({
    agent: aliasSchema,
    trigger: triggerSchema,
    attack: z.string(),
    events: z.array(probedEvent).min(1),
  }),
  ProbesCompleted: z.strictObject({
    /** Turns that were tried, and those of them that are recorded: each that showed something which none before it had shown. */
    tried: z.int().min(0),
    recorded: z.int().min(0),
    /** Attacks that did not come to an end, and ways that led to no turn. */
    problems: z.array(z.string()),
  }),
  ProbesFailed: z.strictObject({ why: z.string() }),
} as const;
