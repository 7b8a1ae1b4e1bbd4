import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { approvalQuery, decisionBody, questionBody } from '../../http/schemas/approval.schema.ts';
import { aliasParam, idSchema, textSchema } from '../../http/schemas/common.schema.ts';
import { cancelBody, steerBody } from '../../http/schemas/turn.schema.ts';

/** The version of this protocol. */
export const rpcProtocol = 1;

/** What a client says of itself, and what it wants left out of every turn that it starts. */
export const helloParams = z.strictObject({
  protocol: z.literal(rpcProtocol).default(rpcProtocol),
  client: z
    .strictObject({ name: z.string().max(200), version: z.string().max(100).optional() })
    .optional(),
  /** The one agent that it speaks to. */
  agent: aliasParam.optional(),
  /** No tools but these. */
  tools: z.array(z.string().min(1).max(200)).max(200).optional(),
  /** False = no tool servers. */
  mcp: z.boolean().default(true),
  /** The folder that it works in; it must lie inside the agent's workspace. */
  cwd: z
    .string()
    .max(4096)
    .refine((path) => isAbsolute(path), 'must be absolute')
    .optional(),
});
export type HelloParams = z.infer<typeof helloParams>;

export const startParams = z.strictObject({
  agent: aliasParam,
  input: textSchema(1_000_000),
  session: idSchema.optional(),
  key: z.string().min(1).max(255).optional(),
  /** Answer when the turn has ended or waits for a person. */
  wait: z.boolean().default(false),
  /** Tell of the turn's events. */
  events: z.boolean().default(true),
  deltas: z.boolean().default(true),
});
export type StartParams = z.infer<typeof startParams>;

export const turnParams = z.strictObject({ turn: idSchema });
export const cancelParams = z.strictObject({ turn: idSchema, ...cancelBody.shape });
export const steerParams = z.strictObject({ turn: idSchema, ...steerBody.shape });
export const listParams = approvalQuery;
export const decideParams = z.strictObject({
  approval: idSchema,
  decision: decisionBody,
});
export const answerParams = z.strictObject({ question: idSchema, answer: questionBody });
