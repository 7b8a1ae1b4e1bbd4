import { z } from 'zod';
import { aliasSchema, effectSchema } from '../names.ts';
import { envName, operandDeclaration, patternList, secretRef } from './values.schema.ts';

/** What config says of one tool of a server; the server's own hints are not trusted. */
export const mcpToolSchema = z.strictObject({
  effect: z.array(effectSchema).optional().describe('What a call can do. Absent: everything.'),
  operands: z
    .union([z.literal('none'), z.array(operandDeclaration)])
    .optional()
    .describe('Where paths and URLs stand in the arguments, or "none". Absent: unknown.'),
  repeatable: z
    .boolean()
    .optional()
    .describe('Whether a call may run again after a crash, with the same idempotency key.'),
});

const common = {
  expose: patternList.describe(
    "Which tools of the server exist at all, as patterns on the server's own names.",
  ),
  tools: z
    .record(z.string().min(1), mcpToolSchema)
    .default({})
    .describe('What single tools do; the hints of the server are not trusted.'),
  share: z
    .enum(['session', 'agent'])
    .default('session')
    .describe('One connection per session and folders, or one per agent.'),
};

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be a header name');
const plainOrSecret = z.union([z.string(), secretRef]);

/** One `[mcp.servers.<alias>]` entry. */
export const mcpServerSchema = z.discriminatedUnion('transport', [
  z.strictObject({
    transport: z.literal('stdio'),
    command: z.string().min(1).describe('The program to start.'),
    args: z
      .array(z.string())
      .default([])
      .describe('Its arguments; {workspace} stands for the root of the agent.'),
    env: z
      .record(envName, plainOrSecret)
      .default({})
      .describe('Its environment, beside nothing else.'),
    run: z
      .enum(['sandboxed', 'trusted'])
      .default('sandboxed')
      .describe('A trusted process can do what the operator can.'),
    network: z
      .boolean()
      .default(false)
      .describe("Gives the sandboxed process the machine's network."),
    ...common,
  }),
  z.strictObject({
    transport: z.literal('http'),
    url: z.url().describe('Where the server listens.'),
    headers: z
      .record(headerName, plainOrSecret)
      .default({})
      .describe('Headers of each request; secrets as references.'),
    ...common,
  }),
]);
export type McpServerConfig = z.infer<typeof mcpServerSchema>;

export const mcpBundleSchema = z.strictObject({
  servers: z.array(aliasSchema).describe('Servers that an agent with this bundle has.'),
});
