import { matchingPattern, type PolicySnapshot } from '@lockstep/policy';
import type { ToolSpec } from '../events/parts.ts';
import { whyWithheld } from '../tools/advertise.ts';

/** Why a standing grant for a tool no longer stands under a policy, or null: the tool is withheld, or each call of it is asked for. */
export const whyGrantVoid = (policy: PolicySnapshot, spec: ToolSpec): string | null => {
  const withheld = whyWithheld(policy, spec);
  if (withheld !== null) return withheld.why;
  const pattern = matchingPattern(policy.approval.always_ask, spec.id);
  return pattern === null
    ? null
    : `\`${spec.id}\` is always asked for by the pattern \`${pattern}\``;
};
