import { z } from 'zod';
import { aliasSchema } from '../names.ts';

/** A whole number or, written out, no limit. There is no other spelling of "no limit". */
export const limitOf = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.union([z.int().min(min).max(max), z.literal('unlimited')]);

/** Decimal US dollars that whole micro-dollars can hold. */
export const usd = (max: number) =>
  z
    .number()
    .min(0)
    .max(max)
    .refine(
      (value) => Math.abs(value * 1e6 - Math.round(value * 1e6)) < 1e-3,
      'must have at most six decimals',
    );

/** Decimal US dollars with at most six decimals, or `"unlimited"`. Becomes integer micro-dollars in a snapshot. */
export const usdLimit = z.union([usd(1_000_000), z.literal('unlimited')]);

/** `"*"` is all, `[]` is none, absent is "not said here". */
export const patternList = z.union([z.literal('*'), z.array(z.string().min(1).max(512)).max(1000)]);

/** The name of an environment variable. */
export const envName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a variable name of letters, digits and `_`');

/** A reference to a secret; the value never enters config, events or logs. */
export const secretRef = z.union([
  z.strictObject({ env: envName }),
  z.strictObject({ file: z.string().min(1) }),
]);
export type SecretRef = z.infer<typeof secretRef>;

export const accessModeSchema = z.enum(['read', 'write', 'read_write']);
export type AccessMode = z.infer<typeof accessModeSchema>;

const jsonPointer = z
  .string()
  .regex(/^(?:\/(?:[^~/]|~[01])*)+$/, 'must be a JSON pointer such as `/path` or `/items/*/name`');

/** Where in a tool's arguments an operand stands: a JSON pointer (RFC 6901), where `*` is each item. */
export const operandDeclaration = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('path'),
    at: jsonPointer,
    access: accessModeSchema,
  }),
  z.strictObject({ kind: z.literal('url'), at: jsonPointer }),
]);
export type OperandDeclaration = z.infer<typeof operandDeclaration>;

export const delegateEdge = z.strictObject({
  agent: aliasSchema,
  mode: z.enum(['bounded', 'independent']).default('bounded'),
  grants: z.strictObject({ tools: patternList.optional() }).optional(),
});
