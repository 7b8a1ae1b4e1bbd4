import { z } from 'zod';
import { aliasSchema } from '../names.ts';

/** A whole number or, written out, no limit. There is no other spelling of "no limit". */
export const limitOf = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.union([z.int().min(min).max(max), z.literal('unlimited')]);

/** Decimal US dollars with at most six decimals, or `"unlimited"`. Becomes integer micro-dollars in a snapshot. */
export const usdLimit = z.union([
  z
    .number()
    .min(0)
    .max(1_000_000)
    .refine((v) => Math.abs(v * 1e6 - Math.round(v * 1e6)) < 1e-3, 'at most six decimals'),
  z.literal('unlimited'),
]);

/** `"*"` is all, `[]` is none, absent is "not said here". */
export const patternList = z.union([z.literal('*'), z.array(z.string().min(1).max(512)).max(1000)]);

/** A reference to a secret; the value never enters config, events or logs. */
export const secretRef = z.union([
  z.strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/) }),
  z.strictObject({ file: z.string().min(1) }),
]);
export type SecretRef = z.infer<typeof secretRef>;

export const accessModeSchema = z.enum(['read', 'write', 'read_write']);
export type AccessMode = z.infer<typeof accessModeSchema>;

/** Where in a tool's arguments an operand stands: a JSON pointer (RFC 6901), where `*` is each item. */
export const operandDeclaration = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('path'),
    at: z.string().startsWith('/'),
    access: accessModeSchema,
  }),
  z.strictObject({ kind: z.literal('url'), at: z.string().startsWith('/') }),
]);
export type OperandDeclaration = z.infer<typeof operandDeclaration>;

export const delegateEdge = z.strictObject({
  agent: aliasSchema,
  mode: z.enum(['bounded', 'independent']).default('bounded'),
  grants: z.strictObject({ tools: patternList.optional() }).optional(),
});
