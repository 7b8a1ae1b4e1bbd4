import { z } from 'zod';
import { aliasSchema, narrowingSchema, originSchema, principalSchema } from '@lockstep/policy';
import { contentSchema, digestSchema } from './content.ts';
import { configRefSchema, deciderSchema } from './parts.ts';

/** Payloads of the stream `sop-<run>`. */
export const sopPayloads = {
  SopRunStarted: z.strictObject({
    run: z.string(),
    sop: aliasSchema,
    config: configRefSchema,
    /** Canonical JSON of the procedure as it stood: the run keeps to it. */
    definition: contentSchema,
    input: contentSchema,
    by: principalSchema,
    /** How it was started. */
    trigger: z.enum(['manual', 'tool', 'cron', 'channel']),
    /** The turn and call that started it; null = headless. */
    parent: z.strictObject({ turn: z.string(), call: z.string() }).nullable(),
    /** What held for who started it: a job, a channel or a token. */
    narrowings: z.array(z.strictObject({ whose: z.string(), values: narrowingSchema })),
    depth: z.int().min(0),
    /** Where the request came from, when it was no turn. */
    origin: originSchema.nullable(),
    /** Whose each step is and what it may use at most (null takes nothing away), as the definition says. */
    scopes: z.array(
      z.strictObject({
        step: z.string(),
        agent: aliasSchema,
        tools: z.array(z.string()).nullable(),
      }),
    ),
  }),
  SopGateOpened: z.strictObject({
    run: z.string(),
    step: z.string(),
    /** Decided like an approval. */
    gate: z.string(),
    agent: aliasSchema,
    view: contentSchema,
    /** Digest of the view. */
    shown: digestSchema,
    route: z.string(),
    deadline: z.union([z.int(), z.literal('never')]),
    required: z.int().min(1),
    notBy: z.string().nullable(),
  }),
  SopGateVoted: z.strictObject({
    run: z.string(),
    gate: z.string(),
    by: deciderSchema,
    choice: z.enum(['once', 'deny']),
  }),
  SopGateDecided: z.strictObject({
    run: z.string(),
    step: z.string(),
    gate: z.string(),
    outcome: z.enum(['granted', 'denied', 'expired', 'closed']),
    /** Null = nobody: it expired or was closed. */
    by: deciderSchema.nullable(),
    shown: digestSchema.nullable(),
    why: z.string(),
  }),
  SopStepStarted: z.strictObject({
    run: z.string(),
    step: z.string(),
    index: z.int().min(0),
    attempt: z.int().min(1),
    agent: aliasSchema,
    turn: z.string(),
    prompt: contentSchema,
  }),
  SopStepCompleted: z.strictObject({
    run: z.string(),
    step: z.string(),
    index: z.int().min(0),
    attempt: z.int().min(1),
    turn: z.string(),
    outcome: z.enum(['completed', 'failed', 'refused', 'cancelled', 'invalid_output']),
    output: contentSchema,
    why: z.string().nullable(),
  }),
  SopRunCompleted: z.strictObject({ run: z.string(), output: contentSchema }),
  SopRunFailed: z.strictObject({
    run: z.string(),
    code: z.enum(['step_failed', 'gate_denied', 'gate_expired', 'cancelled', 'refused', 'stopped']),
    step: z.string().nullable(),
    message: z.string(),
    by: z.string().nullable(),
  }),
} as const;
