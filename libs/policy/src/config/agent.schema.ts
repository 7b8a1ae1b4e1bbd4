import { z } from 'zod';
import { aliasSchema } from '../names.ts';
import { riskTables, runtimeTables } from './settings.schema.ts';
import { delegateEdge } from './values.schema.ts';

/** One `[agents.<alias>]` entry: names of profiles, bundles and edges, and any setting table inline. */
export const agentSchema = z.strictObject({
  enabled: z.boolean().default(true).describe('A disabled agent is refused on every path.'),
  provider: aliasSchema.optional().describe('The entry of [providers] that answers.'),
  risk_profile: aliasSchema
    .optional()
    .describe('The entry of [risk_profiles] that holds what the agent may do.'),
  runtime_profile: aliasSchema
    .optional()
    .describe('The entry of [runtime_profiles] that holds its limits.'),
  channels: z.array(z.string().min(1)).optional(),
  skill_bundles: z.array(aliasSchema).optional(),
  mcp_bundles: z
    .array(aliasSchema)
    .optional()
    .describe('Entries of [mcp_bundles] whose servers the agent has. Absent: none.'),
  delegates: z.array(delegateEdge).optional(),
  ...riskTables,
  ...runtimeTables,
});
export type AgentConfig = z.infer<typeof agentSchema>;
