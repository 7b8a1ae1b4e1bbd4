import { z } from 'zod';
import { aliasSchema } from '@lockstep/policy';
import { contentSchema, digestSchema } from './content.ts';
import { deciderSchema, grantFieldSchema, toolIdSchema } from './parts.ts';

/** Payloads of the stream `agent-<alias>`. */
export const agentPayloads = {
  GrantIssued: z.strictObject({
    grant: z.string(),
    agent: aliasSchema,
    tool: toolIdSchema,
    spec: digestSchema,
    /** Null = anyone, chosen aloud. */
    person: z.string().nullable(),
    scope: z.union([
      z.strictObject({ kind: z.literal('session'), session: z.string() }),
      z.strictObject({ kind: z.literal('agent') }),
    ]),
    arguments: z.union([
      z.strictObject({ kind: z.literal('exact'), digest: digestSchema }),
      z.strictObject({ kind: z.literal('any') }),
      z.strictObject({ kind: z.literal('fields'), fields: z.array(grantFieldSchema).min(1) }),
    ]),
    expires: z.union([z.int(), z.literal('never')]),
    by: deciderSchema,
    approval: z.string(),
  }),
  GrantRevoked: z.strictObject({ grant: z.string(), by: z.string(), why: z.string() }),
  AgentPaused: z.strictObject({ by: z.string(), why: z.string() }),
  AgentResumed: z.strictObject({ by: z.string() }),
  OwnershipTaken: z.strictObject({ daemon: z.string(), epoch: z.int() }),
  /** What an MCP server offered on connection, after `expose`. */
  ToolsListed: z.strictObject({
    server: aliasSchema,
    connection: digestSchema,
    /** Canonical JSON of the tool specs. */
    tools: contentSchema,
    names: z.array(z.string()),
    hidden: z.int().min(0),
  }),
} as const;
