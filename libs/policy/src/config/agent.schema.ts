import { z } from 'zod';
import { aliasSchema } from '../names.ts';
import { riskTables, runtimeTables } from './settings.schema.ts';
import { delegateEdge } from './values.schema.ts';

/** One `[agents.<alias>]` entry: names of profiles, bundles and edges, and any setting table inline. */
export const agentSchema = z.strictObject({
  enabled: z.boolean().default(true),
  provider: aliasSchema.optional(),
  risk_profile: aliasSchema.optional(),
  runtime_profile: aliasSchema.optional(),
  channels: z.array(z.string().min(1)).optional(),
  skill_bundles: z.array(aliasSchema).optional(),
  mcp_bundles: z.array(aliasSchema).optional(),
  delegates: z.array(delegateEdge).optional(),
  ...riskTables,
  ...runtimeTables,
});
export type AgentConfig = z.infer<typeof agentSchema>;
