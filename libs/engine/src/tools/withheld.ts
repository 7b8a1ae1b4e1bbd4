import { matchesClauses, matchingPattern, type PolicySnapshot } from '@lockstep/policy';
import { own } from './own.ts';
import { mcpIdentity } from './tool-id.ts';
import type { RuleId } from '../events/parts.ts';

/** The rule that keeps a tool from an agent, and one sentence for the operator. */
export interface Withheld {
  readonly rule: RuleId;
  readonly pattern: string | null;
  readonly why: string;
}

/** Whether `tools.denied` names the tool. */
export const withheldByDenied = (policy: PolicySnapshot, id: string): Withheld | null => {
  const pattern = matchingPattern(policy.tools.denied, id);
  return pattern === null
    ? null
    : { rule: 'tools.denied', pattern, why: `\`${id}\` is denied by the pattern \`${pattern}\`` };
};

/** Whether the tool is a script of a skill, and those may not run. */
export const withheldByScripts = (policy: PolicySnapshot, id: string): Withheld | null =>
  id.startsWith('skill:') && !policy.skills.allow_scripts
    ? {
        rule: 'skills.allow_scripts',
        pattern: 'false',
        why: `scripts of skills may not run for \`${policy.agent}\``,
      }
    : null;

/** Whether the tool lies outside what `mcp.bundles`, `mcp.expose` and `tools.allowed` let in. */
export const withheldByAllowed = (policy: PolicySnapshot, id: string): Withheld | null => {
  const mcp = mcpIdentity(id);
  if (mcp !== null) {
    const expose = own(policy.mcp.expose, mcp.server);
    if (expose === undefined)
      return {
        rule: 'mcp.bundles',
        pattern: null,
        why: `no bundle of \`${policy.agent}\` holds the server \`${mcp.server}\``,
      };
    if (!matchesClauses(expose, mcp.tool).ok)
      return {
        rule: 'mcp.expose',
        pattern: null,
        why: `the server \`${mcp.server}\` does not expose \`${mcp.tool}\` to \`${policy.agent}\``,
      };
  }
  return matchesClauses(policy.tools.allowed, id).ok
    ? null
    : { rule: 'tools.allowed', pattern: null, why: `no allowed pattern covers \`${id}\`` };
};
