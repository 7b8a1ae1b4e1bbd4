import { z } from 'zod';
import { narrowingSchema, originSchema, principalSchema } from '@lockstep/policy';
import { contentSchema, digestSchema } from './content.ts';
import { replyToSchema } from './turn-parts.ts';

/** Payloads of the stream `session-<agent>-<id>`. */
export const sessionPayloads = {
  SessionOpened: z.strictObject({ agent: z.string(), owner: principalSchema }),
  MessageAccepted: z.strictObject({
    message: z.string(),
    /** The turn that answers this message; its id is fixed here, so that a repeat is the same turn. */
    turn: z.string(),
    text: contentSchema,
    idempotency: z.strictObject({ key: digestSchema, body: digestSchema }).nullable(),
    /** Where it came from and what only the client could say, so that a restart can start its turn. */
    request: z
      .strictObject({ origin: originSchema, client: z.union([narrowingSchema, z.literal('none')]) })
      .optional(),
    /** Where the reply goes; absent for paths whose caller waits for it. */
    replyTo: replyToSchema.optional(),
    /** Messages that the client itself brought along. */
    earlier: z
      .array(z.strictObject({ role: z.enum(['user', 'assistant', 'system']), text: contentSchema }))
      .optional(),
  }),
  MessageDropped: z.strictObject({ message: z.string(), why: z.string() }),
  SessionReset: z.strictObject({ by: z.string() }),
  SessionClosed: z.strictObject({ by: z.string(), why: z.string() }),
} as const;
