import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { mcpSpec, type ToolSpec } from '@lockstep/engine';
import { matchesClauses, type PolicySnapshot } from '@lockstep/policy';

export interface ExposedTools {
  readonly tools: readonly ToolSpec[];
  readonly hidden: number;
  readonly problems: readonly string[];
}

const mostTools = 200;
const longestDescription = 4_000;
const largestSchema = 64 * 1024;

/** The tools of a server that `expose` lets through, bounded in number and size: a server cannot fill the model's context. */
export const exposedTools = (
  server: string,
  listed: readonly Tool[],
  mcp: PolicySnapshot['mcp'],
): ExposedTools => {
  const problems: string[] = [];
  const expose = mcp.expose[server] ?? [[]];
  const specs = listed
    .filter((tool) => matchesClauses(expose, tool.name).ok)
    .flatMap((tool) => {
      // One that nests too deep to be written out is turned away below, by its name.
      if (sizeOf(tool.inputSchema) > largestSchema) {
        problems.push(`the schema of one of its tools is larger than ${largestSchema} characters`);
        return [];
      }
      const description = (tool.description ?? '').slice(0, longestDescription);
      const made = mcpSpec(
        server,
        { name: tool.name, description, inputSchema: tool.inputSchema },
        mcp,
      );
      if (made.ok) return [made.spec];
      problems.push(made.message);
      return [];
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  if (specs.length > mostTools)
    problems.push(`it offers ${specs.length} tools, of which ${mostTools} are shown`);
  const tools = specs.slice(0, mostTools);
  return { tools, hidden: listed.length - tools.length, problems: [...new Set(problems)] };
};

const sizeOf = (schema: unknown): number => {
  try {
    return JSON.stringify(schema).length;
  } catch {
    return 0;
  }
};
