import type { Effect, PolicySnapshot } from '@lockstep/policy';
import type { Facts, ToolSpec } from '../events/parts.ts';
import { own } from '../tools/own.ts';
import { mcpIdentity } from '../tools/tool-id.ts';
import type { Withheld } from '../tools/withheld.ts';

/** Whether a tool that does not say what it touches could touch a path or the network. A server in a sandbox of exactly the
 * effective roots touches no other path, and no network unless its config opens it. */
export const judgeUndeclared = (
  policy: PolicySnapshot,
  facts: Pick<Facts, 'confined' | 'operands'>,
  tool: { readonly spec: ToolSpec; readonly effects: readonly Effect[] },
): Withheld | null => {
  const { spec, effects } = tool;
  const undeclared =
    spec.operands === 'undeclared' || facts.operands.some((o) => o.kind === 'undeclared');
  if (!undeclared) return null;
  if (!facts.confined)
    return effects.some((e) => filesOrNetwork.includes(e)) ? withheld(spec.id, 'files') : null;
  const reaches = effects.includes('network') || effects.includes('execute');
  return reaches && opensNetwork(policy, spec.id) ? withheld(spec.id, 'the network') : null;
};

const filesOrNetwork: readonly Effect[] = ['read', 'write', 'execute', 'network'];

const opensNetwork = (policy: PolicySnapshot, id: string): boolean => {
  const mcp = mcpIdentity(id);
  const server = mcp === null ? undefined : own(policy.mcp.servers, mcp.server);
  return server?.network ?? true;
};

const withheld = (id: string, what: 'files' | 'the network'): Withheld => ({
  rule: 'mcp.operands',
  pattern: null,
  why: `config declares no operands of \`${id}\`, which may touch ${what}`,
});
