import { z } from 'zod';
import { aliasSchema, effectSchema } from '../names.ts';
import { operandDeclaration, patternList, secretRef } from './values.schema.ts';

/** What config says of one tool of a server; the server's own hints are not trusted. */
export const mcpToolSchema = z.strictObject({
  effect: z.array(effectSchema).optional(),
  operands: z.union([z.literal('none'), z.array(operandDeclaration)]).optional(),
  /** The call may be run again after a crash, with the same idempotency key. */
  repeatable: z.boolean().optional(),
});

const common = {
  /** Which tools of the server exist at all, by pattern on the server's own name of the tool. */
  expose: patternList,
  tools: z.record(z.string().min(1), mcpToolSchema).default({}),
  /** `session`: one connection per agent, principal, session and roots; `agent`: one per agent. */
  share: z.enum(['session', 'agent']).default('session'),
};

const plainOrSecret = z.union([z.string(), secretRef]);

/** One `[mcp.servers.<alias>]` entry. */
export const mcpServerSchema = z.discriminatedUnion('transport', [
  z.strictObject({
    transport: z.literal('stdio'),
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), plainOrSecret).default({}),
    run: z.enum(['sandboxed', 'trusted']).default('sandboxed'),
    /** Gives the sandboxed process the machine's network. */
    network: z.boolean().default(false),
    ...common,
  }),
  z.strictObject({
    transport: z.literal('http'),
    url: z.url(),
    headers: z.record(z.string(), plainOrSecret).default({}),
    ...common,
  }),
]);
export type McpServerConfig = z.infer<typeof mcpServerSchema>;

export const mcpBundleSchema = z.strictObject({ servers: z.array(aliasSchema) });
