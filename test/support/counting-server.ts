import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('counting-mcp-server.mjs', import.meta.url));

/** Tools of the counting server, as its program names them. */
export type CountingTool = 'append' | 'asked' | 'hold' | 'again';

/** The server that counts outside the daemon what really ran, as config declares it with the bundle `count`.
 * @param lines the file in which it counts
 * @param repeatable those that a restart may run again; the others leave a line that must stand once */
export const countingServer = (
  lines: string,
  tools: readonly CountingTool[],
  repeatable: readonly CountingTool[] = [],
): string => `
[mcp.servers.count]
transport = "stdio"
command = "${process.execPath}"
args = ["${program}", "${lines}"]
run = "trusted"
expose = "*"
${tools
  .map(
    (tool) => `[mcp.servers.count.tools.${tool}]
effect = ["write"]
operands = "none"
${repeatable.includes(tool) ? 'repeatable = true\n' : ''}`,
  )
  .join('')}[mcp_bundles.count]
servers = ["count"]
`;
