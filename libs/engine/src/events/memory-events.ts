import { z } from 'zod';
import { aliasSchema } from '@lockstep/policy';
import { contentSchema, digestSchema } from './content.ts';

/** Payloads of the stream `memory-<alias>`. The rows of memory are a projection of them. */
export const memoryPayloads = {
  MemoryStored: z.strictObject({
    row: z.string(),
    agent: aliasSchema,
    /** Whose words they are; null = nobody's, as for jobs. */
    person: z.string().nullable(),
    text: contentSchema,
    tags: z.array(z.string()),
    /** The call that stored it. */
    turn: z.string(),
    call: z.string(),
    backend: z.enum(['sqlite', 'markdown']),
    /** Ms since the epoch after which the row is dropped, or never. */
    expires: z.union([z.int(), z.literal('never')]),
  }),
  MemoryForgotten: z.strictObject({
    row: z.string(),
    agent: aliasSchema,
    why: z.enum(['asked', 'expired', 'erased', 'removed_outside']),
    by: z.string(),
  }),
  /** A row that was found changed or new in the folder of the markdown backend. */
  MemoryImported: z.strictObject({
    row: z.string(),
    agent: aliasSchema,
    person: z.string().nullable(),
    text: contentSchema,
    tags: z.array(z.string()),
    backend: z.literal('markdown'),
    /** Digest of the file as found, and as it should have been; null = there was none. */
    found: digestSchema,
    expected: digestSchema.nullable(),
    expires: z.union([z.int(), z.literal('never')]),
  }),
} as const;
