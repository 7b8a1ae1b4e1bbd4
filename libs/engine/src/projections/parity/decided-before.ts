import type { EnforcedKey, PolicySnapshot } from '@lockstep/policy';

/** The stronger rule that always decides before a setting could, or null. */
export const decidedBefore = (key: EnforcedKey, policy: PolicySnapshot): string | null => {
  if (key !== 'tools.allowed' && isNone(policy.tools.allowed) && followsTools(key))
    return '`tools.allowed` is empty: no call comes this far';
  if (key.startsWith('mcp.') && key !== 'mcp.bundles' && policy.mcp.bundles.length === 0)
    return '`mcp.bundles` is empty: no server is there';
  if (key === 'network.block_private_addresses' && isNone(policy.network.allowed_hosts))
    return '`network.allowed_hosts` is empty and decides first';
  return null;
};

const isNone = (clauses: PolicySnapshot['tools']['allowed']): boolean =>
  clauses.some((patterns) => patterns.length === 0);

/** Settings that speak only of calls that `tools.allowed` let through. */
const followsTools = (key: EnforcedKey): boolean =>
  ['approval.', 'workspace.', 'network.', 'secrets.'].some((surface) => key.startsWith(surface)) ||
  [
    'budgets.max_parallel_tools',
    'budgets.max_tool_result_chars',
    'budgets.loop_detection',
    'budgets.max_tool_calls',
    'budgets.tool_timeout_secs',
  ].includes(key);
