import { z } from 'zod';
import { digestSchema, grantFieldSchema } from '@lockstep/engine';
import { listOf } from '../cursor.ts';
import { limitOf } from '../validation.ts';
import { agentQuery, cursorQuery, textSchema } from './common.schema.ts';

export const approvalQuery = z.strictObject({
  state: z.enum(['pending', 'decided', 'all']).default('pending'),
  agent: agentQuery,
  cursor: cursorQuery,
  limit: limitOf(50, 500),
});
export type ApprovalQuery = z.infer<typeof approvalQuery>;

export const inboxRowSchema = z
  .looseObject({
    id: z.string(),
    kind: z.enum(['approval', 'question', 'gate']),
    turn: z.string(),
    agent: z.string(),
    tool: z.string().nullable(),
    /** What a person decides about; null when the caller's role does not show it. */
    view: z.string().nullable(),
    shown: z.string(),
    revision: z.int(),
    state: z.string(),
  })
  .meta({ id: 'InboxRow' });
export const inboxListSchema = listOf(inboxRowSchema).meta({ id: 'InboxList' });

export const decisionBody = z
  .strictObject({
    choice: z.enum(['once', 'always', 'deny']),
    scope: z
      .strictObject({
        kind: z.enum(['session', 'agent']).default('session'),
        arguments: z.enum(['exact', 'any', 'fields']).default('exact'),
        /** What the named arguments must be: equal to a value, or a path below a folder. */
        fields: z.array(grantFieldSchema).min(1).max(20).optional(),
        anyone: z.boolean().default(false),
      })
      .refine((scope) => (scope.arguments === 'fields') === (scope.fields !== undefined), {
        path: ['fields'],
        error: 'fields go with the arguments `fields`, and those with fields',
      })
      .optional(),
    /** In place of the model's: they pass the gate again. */
    arguments: z.record(z.string(), z.json()).optional(),
    guidance: textSchema(20_000).optional(),
    revision: z.int().min(0),
    shown: digestSchema,
  })
  .refine((body) => body.scope === undefined || body.choice === 'always', {
    path: ['scope'],
    error: 'a scope goes with the choice `always` only',
  })
  .refine((body) => body.guidance === undefined || body.choice === 'deny', {
    path: ['guidance'],
    error: 'guidance goes with the choice `deny` only',
  })
  .refine((body) => body.arguments === undefined || body.choice !== 'deny', {
    path: ['arguments'],
    error: 'arguments go with the choices `once` and `always` only',
  })
  .meta({ id: 'Decision' });
export type DecisionBody = z.infer<typeof decisionBody>;

export const questionBody = z
  .strictObject({ text: textSchema(100_000), revision: z.int().min(0) })
  .meta({ id: 'QuestionAnswer' });
export type QuestionBody = z.infer<typeof questionBody>;

export const decidedSchema = z
  .strictObject({
    id: z.string(),
    status: z.enum(['decided', 'repeat', 'voted']),
    position: z.string().nullable(),
    /** With `voted`: how many said yes, of how many that it takes. */
    votes: z.strictObject({ given: z.int(), required: z.int() }).optional(),
  })
  .meta({ id: 'Decided' });

export const grantQuery = z.strictObject({ agent: agentQuery });
export const grantListSchema = listOf(
  z
    .looseObject({
      grant: z.string(),
      agent: z.string(),
      tool: z.string(),
      person: z.string().nullable(),
      expires: z.union([z.int(), z.literal('never')]),
    })
    .meta({ id: 'Grant' }),
).meta({ id: 'GrantList' });
