import { z } from 'zod';
import { aliasSchema, roleSchema } from '../names.ts';
import { agentSchema } from './agent.schema.ts';
import { mcpBundleSchema, mcpServerSchema } from './mcp.schema.ts';
import { providerSchema } from './provider.schema.ts';
import { riskProfileSchema, runtimeProfileSchema } from './settings.schema.ts';
import {
  channelSchema,
  cronSchema,
  heartbeatSchema,
  peerGroupSchema,
  skillBundleSchema,
  sopSchema,
} from './later.schema.ts';

export const personSchema = z.strictObject({
  /** Identities of this person on every surface: `token:<name>`, `<channel>/<peer>`. */
  identities: z.array(z.string().min(1)),
  /** A token of this person acts with the roles that both hold. */
  roles: z.array(roleSchema),
});

export const gatewaySchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65535).default(7420),
  /** Names that the Host header may carry beside loopback ones. */
  hosts: z.array(z.string().min(1)).default([]),
  /** Addresses or CIDR blocks of proxies in front; without one a public bind is refused. */
  trusted_proxies: z.array(z.string().min(1)).default([]),
  max_body_kb: z.int().min(1).max(65_536).default(1024),
  rate_per_minute: z.int().min(1).max(1_000_000).default(6000),
});

export const storeSchema = z.strictObject({
  type: z.enum(['sqlite', 'eventstoredb']).default('sqlite'),
  connection: z.strictObject({ env: z.string() }).optional(),
});

/** The whole file. Sections that come later parse here and are refused by name in `parse-config`. */
export const configSchema = z.strictObject({
  agents: z.record(aliasSchema, agentSchema).default({}),
  risk_profiles: z.record(aliasSchema, riskProfileSchema).default({}),
  runtime_profiles: z.record(aliasSchema, runtimeProfileSchema).default({}),
  providers: z.record(aliasSchema, providerSchema).default({}),
  mcp: z
    .strictObject({ servers: z.record(aliasSchema, mcpServerSchema).default({}) })
    .default({ servers: {} }),
  mcp_bundles: z.record(aliasSchema, mcpBundleSchema).default({}),
  people: z.record(aliasSchema, personSchema).default({}),
  gateway: gatewaySchema.prefault({}),
  store: storeSchema.prefault({}),
  skill_bundles: z.record(aliasSchema, skillBundleSchema).default({}),
  peer_groups: z.record(aliasSchema, peerGroupSchema).default({}),
  channels: z.record(aliasSchema, z.record(aliasSchema, channelSchema)).default({}),
  cron: z.record(aliasSchema, cronSchema).default({}),
  sops: z.record(aliasSchema, sopSchema).default({}),
  heartbeat: z.record(aliasSchema, heartbeatSchema).default({}),
});
/** A parsed config: defaults filled in, cross references checked, nothing resolved yet. */
export type Config = z.infer<typeof configSchema>;
