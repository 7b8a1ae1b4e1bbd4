import { z } from 'zod';

/** Lower-case hex SHA-256. */
export const digestSchema = z.string().regex(/^[0-9a-f]{64}$/);

/** Longest text that stands inside an event, in UTF-8 bytes; larger text is an artifact. */
export const inlineLimitBytes = 32 * 1024;
/** Largest event and largest append, in bytes of JSON, for every store. */
export const eventLimitBytes = 256 * 1024;
export const appendLimitBytes = 768 * 1024;
/** Size of one part of an artifact, in bytes. */
export const artifactPartBytes = 256 * 1024 - 8 * 1024;

const sealed = z.strictObject({
  subject: z.string(),
  key: z.string(),
  nonce: z.string(),
  ciphertext: z.string(),
  commitment: digestSchema,
});

/** Personal or large text: inline, by digest of an artifact recorded before, or sealed under a subject's key. Well-formed Unicode. */
export const contentSchema = z.union([
  z.strictObject({ inline: z.string() }),
  z.strictObject({ artifact: digestSchema, bytes: z.int().min(0) }),
  z.strictObject({ sealed }),
]);
export type Content = z.infer<typeof contentSchema>;
