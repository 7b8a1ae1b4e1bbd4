import { z } from 'zod';
import { narrowingSchema, principalSchema, roleSchema } from '@lockstep/policy';
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
  /** A client of the JSON-RPC socket or of ACP. What it chose holds for every turn that it starts. */
  ConnectionOpened: z.strictObject({
    connection: z.string(),
    kind: z.enum(['json_rpc', 'acp']),
    /** The one agent that it speaks to; null = any. */
    agent: z.string().nullable(),
    narrowing: narrowingSchema,
    principal: principalSchema,
  }),
  ConnectionClosed: z.strictObject({ connection: z.string(), why: z.string() }),
  InboundRefused: z.strictObject({
    source: z.string(),
    why: z.string(),
    /** Refusals folded into this event: one a minute for each source. */
    count: z.int().min(1).optional(),
  }),
  TrailViewed: z.strictObject({ principal: z.string(), agent: z.string(), what: z.string() }),
  EvidenceExported: z.strictObject({
    principal: z.string(),
    agent: z.string().nullable(),
    format: z.string(),
  }),
} as const;
