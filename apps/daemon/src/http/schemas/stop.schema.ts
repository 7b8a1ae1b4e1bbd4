import { z } from 'zod';
import { listOf } from '../cursor.ts';
import { agentQuery, textSchema } from './common.schema.ts';

export const stopBody = z
  .strictObject({
    /** Absent = every agent. */
    agent: agentQuery,
    why: textSchema(500).default('asked for by a person'),
  })
  .meta({ id: 'Stop' });
export type StopBody = z.infer<typeof stopBody>;

export const stopQuery = z.strictObject({ agent: agentQuery });
export type StopQuery = z.infer<typeof stopQuery>;

const flagSchema = z.strictObject({
  /** Null = every agent. */
  agent: z.string().nullable(),
  by: z.string(),
  why: z.string(),
  since: z.int(),
});

export const stopStateSchema = z
  .strictObject({ stops: z.array(flagSchema), pauses: z.array(flagSchema) })
  .meta({ id: 'StopState' });

export const settleBody = z
  .strictObject({ as: z.enum(['retry', 'done', 'failed']) })
  .meta({ id: 'Settlement' });
export type SettleBody = z.infer<typeof settleBody>;

export const unknownListSchema = listOf(
  z
    .strictObject({
      turn: z.string(),
      call: z.string(),
      agent: z.string(),
      session: z.string(),
      tool: z.string(),
      argsDigest: z.string(),
      why: z.string(),
      since: z.int(),
    })
    .meta({ id: 'UnknownOutcome' }),
).meta({ id: 'UnknownOutcomeList' });

export const settledSchema = z
  .strictObject({ turn: z.string(), call: z.string(), as: z.enum(['retry', 'done', 'failed']) })
  .meta({ id: 'Settled' });
