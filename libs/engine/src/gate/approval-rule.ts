import {
  matchesClauses,
  matchingPattern,
  type Effect,
  type PolicySnapshot,
} from '@lockstep/policy';
import type { RuleId, ToolSpec } from '../events/parts.ts';
import { isReadOnly } from '../tools/effects.ts';
import { declaredEffects, mcpIdentity } from '../tools/tool-id.ts';

interface Reason {
  readonly rule: RuleId;
  readonly pattern: string | null;
  readonly why: string;
}

/** Whether a call that breaks no rule needs a person. */
export type ApprovalNeed =
  | (Reason & {
      readonly kind: 'none';
      readonly by: 'autonomy' | 'auto_approve' | 'grant';
      readonly grant: string | null;
    })
  | (Reason & { readonly kind: 'person'; readonly grantable: boolean });

/** Always_ask comes before a grant, a grant before auto_approve, and that before autonomy. */
export const approvalNeed = (
  policy: PolicySnapshot,
  grants: readonly string[],
  tool: { readonly spec: ToolSpec; readonly effects: readonly Effect[] },
): ApprovalNeed => {
  const { id } = tool.spec;
  const always = matchingPattern(policy.approval.always_ask, id);
  if (always !== null)
    return {
      kind: 'person',
      grantable: false,
      rule: 'approval.always_ask',
      pattern: always,
      why: `\`${id}\` is always asked for by the pattern \`${always}\``,
    };
  const [grant] = grants;
  if (grant !== undefined)
    return {
      kind: 'none',
      by: 'grant',
      grant,
      rule: 'approval.grant_ttl_secs',
      pattern: null,
      why: `the grant \`${grant}\` covers the call`,
    };
  const auto = autoApproved(policy, tool.spec);
  if (auto !== null)
    return {
      kind: 'none',
      by: 'auto_approve',
      grant: null,
      rule: 'approval.auto_approve',
      pattern: auto,
      why: `\`${id}\` is approved by the pattern \`${auto}\``,
    };
  return byAutonomy(policy, tool);
};

const byAutonomy = (
  policy: PolicySnapshot,
  tool: { readonly spec: ToolSpec; readonly effects: readonly Effect[] },
): ApprovalNeed => {
  const { autonomy } = policy.approval;
  const rule = { rule: 'approval.autonomy', pattern: autonomy } as const;
  const { id } = tool.spec;
  if (autonomy === 'full')
    return { ...rule, kind: 'none', by: 'autonomy', grant: null, why: 'full autonomy asks nobody' };
  if (isReadOnly(tool.effects))
    return { ...rule, kind: 'none', by: 'autonomy', grant: null, why: `\`${id}\` changes nothing` };
  return {
    ...rule,
    kind: 'person',
    grantable: true,
    why: `\`${id}\` has the effects ${tool.effects.join(', ')} and the autonomy is ${autonomy}`,
  };
};

/** A tool whose effects config does not declare is approved by its exact id alone, in every clause. */
const autoApproved = (policy: PolicySnapshot, spec: ToolSpec): string | null => {
  const clauses = policy.approval.auto_approve;
  if (hasKnownEffects(policy, spec.id)) return matchesClauses(clauses, spec.id).pattern;
  const named = clauses.length > 0 && clauses.every((patterns) => patterns.includes(spec.id));
  return named && !spec.id.includes('*') ? spec.id : null;
};

const hasKnownEffects = (policy: PolicySnapshot, id: string): boolean => {
  if (id.startsWith('builtin:')) return true;
  const mcp = mcpIdentity(id);
  return mcp !== null && declaredEffects(policy.mcp, mcp.server, mcp.tool) !== undefined;
};
