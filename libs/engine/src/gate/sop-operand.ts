import type { PolicySnapshot } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';
import type { Withheld } from '../tools/withheld.ts';

/** The rule that the start of a procedure breaks, or null: it must be named, it must exist, and a level must be left below. */
export const judgeSop = (
  policy: PolicySnapshot,
  { given, exists }: Extract<Operand, { kind: 'sop' }>,
): Withheld | null => {
  const { sops, max_depth: depth } = policy.delegation;
  if (!sops.includes(given))
    return withheld('delegation.sops', `\`${policy.agent}\` may not start procedure \`${given}\``);
  if (!exists) return withheld('delegation.sops', `there is no procedure \`${given}\``);
  return depth === 0
    ? withheld('delegation.max_depth', 'no level of turns is left below this one')
    : null;
};

const withheld = (rule: Withheld['rule'], why: string): Withheld => ({ rule, pattern: null, why });
