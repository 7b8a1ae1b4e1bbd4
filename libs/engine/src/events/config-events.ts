import { z } from 'zod';
import { hostSchema } from '@lockstep/policy';
import { contentSchema, digestSchema } from './content.ts';

/** Payloads of the stream `config`. */
export const configPayloads = {
  ConfigApplied: z.strictObject({
    version: z.int().min(1),
    /** Canonical JSON of the parsed config, secrets as references. */
    content: contentSchema,
    digest: digestSchema,
    by: z.string(),
    /** Keys that changed, with what they were and are, as canonical JSON text. */
    diff: z.array(
      z.strictObject({
        path: z.string(),
        before: z.string().nullable(),
        after: z.string().nullable(),
      }),
    ),
    /** Keys that grant more than before. */
    widens: z.array(z.string()),
    host: hostSchema,
  }),
  ConfigRejected: z.strictObject({
    by: z.string(),
    digest: digestSchema,
    problems: z.array(
      z.strictObject({
        path: z.string(),
        line: z.int().nullable(),
        column: z.int().nullable(),
        message: z.string(),
      }),
    ),
  }),
  ChannelFallbackUsed: z.strictObject({ agent: z.string(), channels: z.array(z.string()) }),
  PatternUnmatched: z.strictObject({ path: z.string(), pattern: z.string() }),
} as const;
