import { z } from 'zod';
import { aliasSchema } from '@lockstep/policy';

/** Text of a person, at most so many characters. Lone halves of characters have no UTF-8 form and are refused. */
export const textSchema = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode');

/** An id of ours in an address: no more than that it can be one. */
export const idSchema = z.string().min(1).max(200);

/** Whether an agent of that name exists is judged where the turn starts, the same on every path. */
export const aliasParam = z.string().min(1).max(64);

export const agentQuery = aliasSchema.optional();
export const cursorQuery = z.string().max(500).optional();
