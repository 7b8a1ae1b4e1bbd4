import { z } from 'zod';
import { ProblemError } from './problem.ts';

/** Packs where a list goes on into one opaque word. */
export const encodeCursor = (at: unknown): string =>
  Buffer.from(JSON.stringify(at), 'utf8').toString('base64url');

/** @throws ProblemError when the word is none of ours */
export const decodeCursor = <T>(cursor: string | undefined, schema: z.ZodType<T>): T | null => {
  if (cursor === undefined) return null;
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    json = undefined;
  }
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  throw new ProblemError('invalid_body', 'the cursor is not valid: start the list anew', {
    errors: [{ path: 'cursor', message: 'not a cursor of this list' }],
  });
};

/** The answer of every list. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), next: z.string().nullable() });
