import { z } from 'zod';
import { aliasSchema, roleSchema } from '../names.ts';
import { agentSchema } from './agent.schema.ts';
import { mcpBundleSchema, mcpServerSchema } from './mcp.schema.ts';
import { providerSchema } from './provider.schema.ts';
import { riskProfileSchema, runtimeProfileSchema } from './settings.schema.ts';
import { channelsSchema, peerGroupSchema } from './channels.schema.ts';
import { secretRef } from './values.schema.ts';
import { cronSchema, heartbeatSchema, skillBundleSchema, sopSchema } from './work.schema.ts';

export const personSchema = z.strictObject({
  identities: z
    .array(z.string().min(1))
    .describe('Who this person is on every surface: token:<name>, <channel>/<peer>.'),
  roles: z.array(roleSchema).describe('A token of this person acts with the roles that both hold.'),
});

export const gatewaySchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('The address to listen on.'),
  port: z.int().min(0).max(65535).default(7420).describe('The port; 0 takes a free one.'),
  hosts: z
    .array(z.string().min(1))
    .default([])
    .describe('Names that the Host header may carry beside loopback ones.'),
  trusted_proxies: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Addresses or CIDR blocks of proxies in front; without one a public bind is refused.',
    ),
  max_body_kb: z.int().min(1).max(65_536).default(1024).describe('Largest request body, in KiB.'),
  rate_per_minute: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(6000)
    .describe('Requests of one token or address in a minute.'),
});

export const storeSchema = z.strictObject({
  type: z
    .enum(['sqlite', 'eventstoredb'])
    .default('sqlite')
    .describe('Where the event log is kept.'),
  connection: secretRef
    .optional()
    .describe('Holds the connection string of `eventstoredb`: hosts, TLS options, credentials.'),
});

/** The whole file. */
export const configSchema = z.strictObject({
  agents: z.record(aliasSchema, agentSchema).default({}).describe('The agents, by alias.'),
  risk_profiles: z
    .record(aliasSchema, riskProfileSchema)
    .default({})
    .describe('What agents may do; an agent may set the same tables inline.'),
  runtime_profiles: z
    .record(aliasSchema, runtimeProfileSchema)
    .default({})
    .describe('How much agents may use; an agent may set the same tables inline.'),
  providers: z.record(aliasSchema, providerSchema).default({}).describe('The models that answer.'),
  mcp: z
    .strictObject({
      servers: z
        .record(aliasSchema, mcpServerSchema)
        .default({})
        .describe('The MCP servers, by alias.'),
    })
    .default({ servers: {} }),
  mcp_bundles: z
    .record(aliasSchema, mcpBundleSchema)
    .default({})
    .describe('Groups of MCP servers that an agent can be given.'),
  people: z.record(aliasSchema, personSchema).default({}).describe('Who stands behind tokens.'),
  gateway: gatewaySchema.prefault({}),
  store: storeSchema.prefault({}),
  skill_bundles: z
    .record(aliasSchema, skillBundleSchema)
    .default({})
    .describe('Folders of skills that an agent can be given.'),
  peer_groups: z
    .record(aliasSchema, peerGroupSchema)
    .default({})
    .describe(
      'Who may write to which agents on a channel, and which agents may message each other.',
    ),
  channels: channelsSchema.prefault({}).describe('The chat channels, by kind and alias.'),
  cron: z.record(aliasSchema, cronSchema).default({}).describe('The jobs, by name.'),
  sops: z
    .record(aliasSchema, sopSchema)
    .default({})
    .describe('The standard operating procedures, by name.'),
  heartbeat: z
    .record(aliasSchema, heartbeatSchema)
    .default({})
    .describe('The heartbeats, by agent.'),
});
/** A parsed config: defaults filled in, cross references checked, nothing resolved yet. */
export type Config = z.infer<typeof configSchema>;
