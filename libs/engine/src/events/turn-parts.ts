import { z } from 'zod';
import { aliasSchema } from '@lockstep/policy';
import { contentSchema } from './content.ts';

/** The channel's own address of a conversation, and the message in it that is answered. */
export const replyToSchema = z.strictObject({
  binding: z.string(),
  conversation: z.string(),
  thread: z.string().nullable(),
  message: z.string().nullable(),
});
export type ReplyTo = z.infer<typeof replyToSchema>;

/** Whose rows a recall may see. `person`: rows of that person and of nobody; `anyone`: rows of all people. */
export const memoryScopeSchema = z.strictObject({
  backend: z.enum(['sqlite', 'markdown']),
  agents: z.array(aliasSchema),
  person: z.union([
    z.strictObject({ kind: z.literal('anyone') }),
    z.strictObject({ kind: z.literal('person'), id: z.string().nullable() }),
  ]),
});
export type MemoryScope = z.infer<typeof memoryScopeSchema>;

/** One row as it was recalled. */
export const recalledRowSchema = z.strictObject({
  id: z.string(),
  agent: aliasSchema,
  person: z.string().nullable(),
  text: contentSchema,
  stored: z.int(),
});
export type RecalledRow = z.infer<typeof recalledRowSchema>;
