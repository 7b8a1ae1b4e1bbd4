import { z } from 'zod';
import { pathNames, pathNameSchema, triggerSchema } from '@lockstep/policy';
import { limitOf, manyOf } from '../validation.ts';
import { listOf } from '../cursor.ts';
import { agentQuery, cursorQuery, idSchema, textSchema } from './common.schema.ts';

const statuses = [
  'queued',
  'running',
  'waiting',
  'completed',
  'failed',
  'cancelled',
  'refused',
] as const;

export const startTurnBody = z
  .strictObject({
    input: textSchema(1_000_000),
    session: idSchema.optional(),
    wait: z.boolean().default(false),
  })
  .meta({ id: 'StartTurn' });
export type StartTurnBody = z.infer<typeof startTurnBody>;

export const startRunBody = startTurnBody.meta({ id: 'StartRun' });

export const turnAnswerSchema = z
  .strictObject({
    id: z.string(),
    status: z.enum(statuses),
    session: z.string(),
    agent: z.string(),
    path: z.enum(pathNames),
    reply: z.string().nullable(),
    reason: z.string().nullable(),
    usage: z.strictObject({
      inputTokens: z.int(),
      outputTokens: z.int(),
      tokens: z.int(),
      cost: z.union([z.int(), z.literal('unknown')]),
      modelCalls: z.int(),
      toolCalls: z.int(),
    }),
    approvals: z.array(z.string()),
    position: z.string(),
  })
  .meta({ id: 'TurnAnswer' });

export const turnQuery = z.strictObject({
  agent: agentQuery,
  path: pathNameSchema.optional(),
  trigger: triggerSchema.optional(),
  status: manyOf(z.enum(statuses)).optional(),
  session: idSchema.optional(),
  /** Only what this turn started. */
  parent: idSchema.optional(),
  cursor: cursorQuery,
  limit: limitOf(50, 500),
});
export type TurnQuery = z.infer<typeof turnQuery>;

export const turnRowSchema = z
  .looseObject({
    id: z.string(),
    agent: z.string(),
    path: z.enum(pathNames),
    trigger: z.string(),
    status: z.enum(statuses),
    startedAt: z.int(),
    input: z.string().nullable(),
    reply: z.string().nullable(),
  })
  .meta({ id: 'TurnRow' });
export const turnListSchema = listOf(turnRowSchema).meta({ id: 'TurnList' });

export const turnDetailSchema = z
  .looseObject({
    row: turnRowSchema,
    policy: z.looseObject({ digest: z.string() }).nullable(),
    steps: z.array(z.looseObject({ type: z.string(), title: z.string() })),
    pendingApprovals: z.array(z.string()),
    answer: turnAnswerSchema,
    /** The run of probes that it belongs to. */
    probe: z.string().optional(),
  })
  .meta({ id: 'TurnDetail' });

export const cancelBody = z
  .strictObject({ why: textSchema(500).default('asked for by a person') })
  .meta({ id: 'CancelTurn' });
export const steerBody = z.strictObject({ text: textSchema(100_000) }).meta({ id: 'SteerTurn' });
export const acceptedSchema = z
  .strictObject({ id: z.string(), status: z.string() })
  .meta({ id: 'Accepted' });
