import { z } from 'zod';
import { roleSchema } from '@lockstep/policy';
import { digestSchema } from './content.ts';

/** Payloads of the stream `access`. */
export const accessPayloads = {
  TokenIssued: z.strictObject({
    token: z.string(),
    name: z.string(),
    /** SHA-256 of the token. */
    hash: digestSchema,
    roles: z.array(roleSchema),
    scopes: z.strictObject({ agents: z.array(z.string()), tools: z.array(z.string()) }),
    expires: z.union([z.int(), z.literal('never')]),
    by: z.string(),
  }),
  TokenRevoked: z.strictObject({ token: z.string(), by: z.string() }),
  SignedIn: z.strictObject({
    principal: z.string(),
    how: z.enum(['link', 'token']),
    from: z.string(),
  }),
  AccessDenied: z.strictObject({
    principal: z.string().nullable(),
    action: z.string(),
    why: z.string(),
    /** Denials folded into this event (unauthenticated ones are counted, one event a minute). */
    count: z.int().min(1),
  }),
  InboundRefused: z.strictObject({ source: z.string(), why: z.string() }),
  TrailViewed: z.strictObject({ principal: z.string(), agent: z.string(), what: z.string() }),
  EvidenceExported: z.strictObject({
    principal: z.string(),
    agent: z.string().nullable(),
    format: z.string(),
  }),
} as const;
