import type { McpServerConfig } from '../config/mcp.schema.ts';
import { chain } from '../orders/chain.ts';
import { clauses } from '../orders/clauses.ts';
import { effectsEntry, entryIn, entryOf, map, operandsEntry } from '../orders/map.ts';
import { sortedSet } from '../orders/order.ts';
import { set } from '../orders/set.ts';
import { coversTools } from './covers.ts';
import { ofAgent, type Place } from './setting.ts';
import { clausesOf } from './written.ts';

const perServer = {
  written: 'mcp_bundles',
  fallback: '[]',
  default: () => ({}),
} as const;

/** Which tool servers an agent has, and what config says of their tools. */
export const mcpSettings = {
  'mcp.bundles': ofAgent('mcp.bundles', {
    ...perServer,
    order: set,
    explain: 'Bundles whose servers the agent has; none means no server.',
    read: ({ agent }) => agent.mcp_bundles ?? null,
    default: () => [],
  }),
  'mcp.expose': ofAgent('mcp.expose', {
    ...perServer,
    order: map(entryIn(clauses(coversTools))),
    explain: 'By server, which of its tools exist for the agent.',
    read: (place) => byServer(place, (server) => clausesOf(server.expose)),
  }),
  'mcp.effects': ofAgent('mcp.effects', {
    ...perServer,
    order: map(effectsEntry),
    explain: 'By server and tool, what a call can do; a tool that is not named can do everything.',
    read: (place) => byServer(place, (server) => byTool(server, (tool) => tool.effect)),
  }),
  'mcp.operands': ofAgent('mcp.operands', {
    ...perServer,
    order: map(operandsEntry),
    explain: 'By server and tool, where paths and addresses stand in its arguments.',
    read: (place) => byServer(place, (server) => byTool(server, (tool) => tool.operands)),
  }),
  'mcp.run': ofAgent('mcp.run', {
    ...perServer,
    order: map(entryIn(chain(['sandboxed', 'trusted']))),
    explain: 'By server with a process of its own, whether it runs in the sandbox.',
    read: (place) =>
      byServer(place, (server) => (server.transport === 'stdio' ? server.run : null)),
  }),
  'mcp.share': ofAgent('mcp.share', {
    ...perServer,
    order: map(entryIn(chain(['session', 'agent']))),
    explain: 'By server, whether sessions of the agent share one connection.',
    read: (place) => byServer(place, (server) => server.share),
  }),
};

/** The servers of some bundles, sorted; a name that leads nowhere is left out. */
export const serversOf = (
  config: Place['config'],
  bundles: readonly string[],
): { readonly name: string; readonly server: McpServerConfig }[] =>
  sortedSet(bundles.flatMap((bundle) => entryOf(config.mcp_bundles, bundle)?.servers ?? []))
    .map((name) => ({ name, server: entryOf(config.mcp.servers, name) }))
    .filter((found): found is { name: string; server: McpServerConfig } => found.server !== null);

type Tool = McpServerConfig['tools'][string];

/** What config says of each tool of a server, where it says something. */
export const byTool = <V>(
  server: McpServerConfig,
  read: (tool: Tool) => V | undefined,
): Record<string, V> => {
  const said: [string, V][] = [];
  for (const [name, tool] of Object.entries(server.tools)) {
    const value = read(tool);
    if (value !== undefined) said.push([name, value]);
  }
  return Object.fromEntries(said);
};

const byServer = <V>(
  place: Place,
  read: (server: McpServerConfig) => V | null,
): Record<string, V> | null => {
  if (place.agent.mcp_bundles === undefined) return null;
  const said: [string, V][] = [];
  for (const { name, server } of serversOf(place.config, place.agent.mcp_bundles)) {
    const value = read(server);
    if (value !== null) said.push([name, value]);
  }
  return Object.fromEntries(said);
};
