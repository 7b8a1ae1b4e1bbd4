import { z } from 'zod';
import { roleSchema } from '@lockstep/policy';
import { listOf } from '../cursor.ts';

const patterns = z.array(z.string().min(1).max(200)).min(1).max(100);

export const signInBody = z
  .union([
    z.strictObject({ link: z.string().min(1).max(200) }),
    z.strictObject({ token: z.string().min(1).max(200) }),
  ])
  .meta({ id: 'SignIn' });
export type SignInBody = z.infer<typeof signInBody>;

export const sessionSchema = z
  .strictObject({
    principal: z.string(),
    kind: z.enum(['token', 'local']),
    person: z.string().nullable(),
    roles: z.array(roleSchema),
    scopes: z.strictObject({ agents: z.array(z.string()), tools: z.array(z.string()) }),
    via: z.enum(['bearer', 'cookie']),
    /** Value of the header `lockstep-csrf` for every request that changes something; null with a token. */
    csrf: z.string().nullable(),
    expires: z.int().nullable(),
  })
  .meta({ id: 'Session' });

export const linkSchema = z
  .strictObject({ link: z.string(), expires: z.int() })
  .meta({ id: 'SignInLink' });

export const issueTokenBody = z
  .strictObject({
    name: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must match [a-z][a-z0-9_-]{0,63}'),
    roles: z.array(roleSchema).min(1),
    scopes: z
      .strictObject({ agents: patterns.default(['*']), tools: patterns.default(['*']) })
      .prefault({}),
    /** Null: until it is revoked. */
    expiresInDays: z.int().min(1).max(3650).nullable().default(null),
  })
  .meta({ id: 'IssueToken' });
export type IssueTokenBody = z.infer<typeof issueTokenBody>;

const tokenFields = {
  id: z.string(),
  name: z.string(),
  roles: z.array(roleSchema),
  scopes: z.strictObject({ agents: z.array(z.string()), tools: z.array(z.string()) }),
  expires: z.union([z.int(), z.literal('never')]),
};
export const tokenSchema = z.strictObject(tokenFields).meta({ id: 'Token' });
export const tokenListSchema = listOf(tokenSchema).meta({ id: 'TokenList' });
export const issuedTokenSchema = z
  .strictObject({
    ...tokenFields,
    /** Shown this once. */
    token: z.string(),
  })
  .meta({ id: 'IssuedToken' });
