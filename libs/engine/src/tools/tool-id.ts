import { own } from './own.ts';
import type { Effect, PolicySnapshot } from '@lockstep/policy';

/** Server and tool of a canonical `mcp:<server>/<tool>`, or null for any other source. The tool's own name may hold slashes. */
export const mcpIdentity = (
  id: string,
): { readonly server: string; readonly tool: string } | null => {
  if (!id.startsWith('mcp:')) return null;
  const slash = id.indexOf('/');
  return slash === -1 ? null : { server: id.slice(4, slash), tool: id.slice(slash + 1) };
};

/** What config declares of an MCP tool's effects; undefined = nothing, so that it counts as having all of them. */
export const declaredEffects = (
  mcp: PolicySnapshot['mcp'],
  server: string,
  tool: string,
): readonly Effect[] | undefined => {
  const ofServer = own(mcp.effects, server);
  return ofServer === undefined ? undefined : own(ofServer, tool);
};
