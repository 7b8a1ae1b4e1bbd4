import { z } from 'zod';
import { eventTypes, type EventType } from '@lockstep/engine';
import { pathNameSchema, triggerSchema } from '@lockstep/policy';
import { listOf } from '../cursor.ts';
import { limitOf, manyOf } from '../validation.ts';
import { agentQuery, cursorQuery, idSchema, textSchema } from './common.schema.ts';

export const agentListSchema = listOf(
  z
    .strictObject({
      alias: z.string(),
      enabled: z.boolean(),
      /** It has provider, risk profile and runtime profile. */
      complete: z.boolean(),
      missing: z.array(z.string()),
      paused: z.boolean(),
      stopped: z.boolean(),
      provider: z.string().nullable(),
      riskProfile: z.string().nullable(),
      runtimeProfile: z.string().nullable(),
    })
    .meta({ id: 'Agent' }),
).meta({ id: 'AgentList' });

export const policyQuery = z.strictObject({
  path: pathNameSchema.optional(),
  trigger: triggerSchema.optional(),
});
export type PolicyQuery = z.infer<typeof policyQuery>;

export const policySchema = z
  .looseObject({
    agent: z.string(),
    path: z.string(),
    trigger: z.string(),
    config: z.strictObject({ version: z.int(), digest: z.string() }),
    digest: z.string(),
    snapshot: z.looseObject({}),
    /** Every setting with its value as a person reads it, and where that came from. */
    rows: z.array(
      z.strictObject({
        key: z.string(),
        value: z.string(),
        source: z.string(),
        name: z.string().nullable(),
        path: z.string().nullable(),
        explain: z.string(),
      }),
    ),
    provenance: z.array(z.looseObject({})),
    narrowings: z.array(z.looseObject({})),
  })
  .meta({ id: 'Policy' });

export const explainBody = z
  .strictObject({
    tool: z.string().min(1).max(300),
    args: z.json().default({}),
    path: pathNameSchema.optional(),
    trigger: triggerSchema.optional(),
  })
  .meta({ id: 'Explain' });
export type ExplainBody = z.infer<typeof explainBody>;

export const explainSchema = z
  .looseObject({
    tool: z.string(),
    verdict: z.enum(['allow', 'ask', 'refuse']),
    rule: z.string(),
    pattern: z.string().nullable(),
    why: z.string(),
  })
  .meta({ id: 'Explanation' });

export const trailQuery = z.strictObject({
  from: z.coerce.number().int().min(0).optional(),
  to: z.coerce.number().int().min(0).optional(),
  path: pathNameSchema.optional(),
  trigger: triggerSchema.optional(),
  types: manyOf(z.enum(eventTypes as [EventType, ...EventType[]])).optional(),
  tool: z.string().max(300).optional(),
  verdict: z.enum(['allow', 'ask', 'refuse']).optional(),
  rule: z.string().max(100).optional(),
  person: z.string().max(64).optional(),
  approver: z.string().max(200).optional(),
  text: z.string().max(200).optional(),
  cursor: cursorQuery,
  limit: limitOf(50, 500),
});
export type TrailQuery = z.infer<typeof trailQuery>;

export const trailSchema = listOf(
  z
    .looseObject({
      event: z.string(),
      type: z.string(),
      position: z.string(),
      at: z.int(),
      title: z.string(),
      detail: z.string().nullable(),
    })
    .meta({ id: 'TrailEntry' }),
).meta({ id: 'Trail' });

export const pauseBody = z
  .strictObject({ why: textSchema(500).default('asked for by a person') })
  .meta({ id: 'Pause' });
export const pausedSchema = z
  .strictObject({ agent: z.string(), paused: z.boolean() })
  .meta({ id: 'Paused' });

export const sessionQuery = z.strictObject({ agent: agentQuery });
export const sessionListSchema = listOf(
  z
    .strictObject({
      id: idSchema,
      agent: z.string(),
      owner: z.string(),
      closed: z.boolean(),
      turns: z.int(),
    })
    .meta({ id: 'AgentSession' }),
).meta({ id: 'AgentSessionList' });
