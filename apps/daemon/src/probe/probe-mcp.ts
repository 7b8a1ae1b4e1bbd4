import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Config, McpServerConfig } from '@lockstep/policy';
import type { OpenedTransport } from '../adapters/mcp/open-transport.ts';

/** A tool that no config lets through unless it lets through everything. */
export const hiddenTool = 'probe_not_exposed';

/** The tools of a server, as far as config speaks of them: those that it declares and those that it exposes by name, one for each
 * pattern, and one that nobody exposed. */
export const toolsOfConfig = ({ tools, expose }: McpServerConfig): readonly string[] => {
  const patterns = expose === '*' ? [] : expose;
  const shown = patterns.map((pattern) => pattern.replaceAll('*', 'probe'));
  return [...new Set([...Object.keys(tools), ...shown, hiddenTool])].sort();
};

/** Ids of all tools of all servers that an agent may have. */
export const mcpToolIds = (config: Config, servers: readonly string[]): readonly string[] =>
  servers.flatMap((alias) => {
    const server = config.mcp.servers[alias];
    return server === undefined ? [] : toolsOfConfig(server).map((tool) => `mcp:${alias}/${tool}`);
  });

/** The way to something in this process that stands for a server: it offers what config speaks of, and does nothing. */
export const openProbeServer = async (
  alias: string,
  config: McpServerConfig,
): Promise<OpenedTransport> => {
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js');
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
  const { CallToolRequestSchema, ListToolsRequestSchema } =
    await import('@modelcontextprotocol/sdk/types.js');
  const [transport, there] = InMemoryTransport.createLinkedPair();
  const { server } = new McpServer({ name: alias, version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: toolsOfConfig(config).map((name): Tool => ({
      name,
      description: 'stands for a tool of the server',
      inputSchema: { type: 'object' },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, () => ({
    content: [{ type: 'text' as const, text: 'done' }],
  }));
  await server.connect(there);
  return { transport, lastWords: () => '' };
};
