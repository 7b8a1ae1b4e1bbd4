import { z } from 'zod';
import { aliasSchema } from '@lockstep/policy';
import { listOf } from '../cursor.ts';
import { limitOf, manyOf } from '../validation.ts';
import { agentQuery, cursorQuery, textSchema } from './common.schema.ts';

export const jobNameParam = z.string().min(1).max(64);

export const jobQuery = z.strictObject({ agent: agentQuery });
export type JobQuery = z.infer<typeof jobQuery>;

const openRunSchema = z.looseObject({ due: z.int(), turn: z.string(), sop: z.string().nullable() });

export const jobSchema = z
  .looseObject({
    name: z.string(),
    kind: z.enum(['config', 'tool', 'heartbeat']),
    agent: z.string(),
    schedule: z.string(),
    timezone: z.string(),
    enabled: z.boolean(),
    /** Next times, in ms since the epoch. */
    next: z.array(z.int()),
    open: openRunSchema.nullable(),
    queued: openRunSchema.nullable(),
    madeBy: z.string().nullable(),
    /** Last times, newest first. */
    runs: z.array(z.looseObject({ due: z.int(), state: z.string(), turn: z.string().nullable() })),
  })
  .meta({ id: 'Job' });
export const jobListSchema = listOf(jobSchema).meta({ id: 'JobList' });

export const jobStartedSchema = z
  .strictObject({
    name: z.string(),
    /** The turn, or the run of a procedure. */
    turn: z.string(),
    sop: z.string().nullable(),
    due: z.int(),
    queued: z.boolean(),
  })
  .meta({ id: 'JobStarted' });

export const startSopBody = z
  .strictObject({ input: textSchema(1_000_000) })
  .meta({ id: 'StartProcedure' });
export type StartSopBody = z.infer<typeof startSopBody>;

export const sopStartedSchema = z
  .strictObject({ id: z.string(), sop: z.string(), repeat: z.boolean() })
  .meta({ id: 'ProcedureStarted' });

const sopStatuses = ['running', 'waiting', 'completed', 'failed'] as const;

export const sopRunQuery = z.strictObject({
  sop: aliasSchema.optional(),
  agent: agentQuery,
  status: manyOf(z.enum(sopStatuses)).optional(),
  cursor: cursorQuery,
  limit: limitOf(50, 500),
});
export type SopRunQuery = z.infer<typeof sopRunQuery>;

export const sopRunSchema = z
  .looseObject({
    id: z.string(),
    sop: z.string(),
    agent: z.string(),
    status: z.enum(sopStatuses),
    trigger: z.string(),
    live: z.boolean(),
    by: z.string(),
    steps: z.array(
      z.looseObject({
        name: z.string(),
        agent: z.string(),
        state: z.string(),
        gate: z.string().nullable(),
        turns: z.array(z.string()),
      }),
    ),
    startedAt: z.int(),
    endedAt: z.int().nullable(),
    /** First line; null when the caller's role does not show it. */
    input: z.string().nullable(),
    output: z.string().nullable(),
  })
  .meta({ id: 'ProcedureRun' });
export const sopRunListSchema = listOf(sopRunSchema).meta({ id: 'ProcedureRunList' });

export const cancelSopBody = z
  .strictObject({ why: textSchema(500).default('asked for by a person') })
  .meta({ id: 'CancelProcedure' });
export const sopCancelledSchema = z
  .strictObject({ id: z.string(), status: z.enum(['cancelled', 'ended']) })
  .meta({ id: 'ProcedureCancelled' });
