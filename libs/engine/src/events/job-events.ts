import { z } from 'zod';
import { aliasSchema, narrowingSchema } from '@lockstep/policy';
import { contentSchema } from './content.ts';

/** A job that a tool made; those of config stand in ConfigApplied. */
export const jobSchema = z.strictObject({
  name: aliasSchema,
  agent: aliasSchema,
  schedule: z.string().min(1),
  timezone: z.string().min(1),
  prompt: contentSchema,
  /** Patterns; null takes nothing away. */
  tools: z.array(z.string()).nullable(),
  usesMemory: z.boolean(),
  /** What held for the turn that made it. */
  narrowing: narrowingSchema,
  /** Levels of turns above it. */
  depth: z.int().min(0),
  /** Who made it: the asking person of its approvals. */
  by: z.string(),
  person: aliasSchema.nullable(),
  /** The call that made it. */
  turn: z.string(),
  call: z.string(),
});
export type Job = z.infer<typeof jobSchema>;

/** Payloads of the stream `job-<name>`, for jobs of config and of tools alike; `heartbeat-<agent>` is such a name too. */
export const jobPayloads = {
  JobAdded: jobSchema,
  JobRemoved: z.strictObject({ name: aliasSchema, by: z.string() }),
  /** A time came: fixed before its turn starts, so that none runs twice. */
  JobDue: z.strictObject({
    name: z.string(),
    agent: aliasSchema,
    /** The time it was due, in ms since the epoch. */
    due: z.int(),
    now: z.int(),
    late: z.boolean(),
    /** The turn, or the run of a procedure, that this time starts. */
    turn: z.string(),
    sop: aliasSchema.nullable(),
    by: z.enum(['schedule', 'person']),
  }),
  JobSkipped: z.strictObject({
    name: z.string(),
    agent: aliasSchema,
    due: z.int(),
    /** Further times skipped for the same reason; `due` is the first. */
    more: z.int().min(0),
    /** The last of them; absent = not known, and then all up to the event's own time. */
    last: z.int().optional(),
    why: z.enum(['missed', 'overlap', 'stopped', 'adopted', 'refused']),
  }),
  JobRun: z.strictObject({
    name: z.string(),
    agent: aliasSchema,
    due: z.int(),
    turn: z.string(),
    outcome: z.enum(['completed', 'failed', 'cancelled', 'refused']),
  }),
} as const;
