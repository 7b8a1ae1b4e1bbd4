import type { CapUse, Facts, RuleId } from '../events/parts.ts';
import type { Withheld } from '../tools/withheld.ts';

/** The cap, of the turn or of an ancestor, that leaves no room for one more tool call; or an earlier call of the same kind whose
 * outcome nobody knows. */
export const judgeBudget = (facts: Pick<Facts, 'caps' | 'unsettled'>): Withheld | null => {
  const full = facts.caps.find(isFull);
  if (full !== undefined)
    return {
      rule: full.key,
      pattern: null,
      why: `\`${full.key}\` of \`${full.scope}\` is ${full.cap}: ${full.used} used, ${full.reserved} reserved`,
    };
  if (facts.unsettled === null) return null;
  return {
    rule: 'gate.unsettled_outcome',
    pattern: null,
    why: `the same call in \`${facts.unsettled}\` has an unknown outcome that an operator must settle`,
  };
};

/** Caps that a tool call takes one of. */
const counted: ReadonlySet<RuleId> = new Set<RuleId>([
  'budgets.max_tool_calls',
  'budgets.max_actions_per_hour',
]);

const isFull = ({ key, cap, used, reserved }: CapUse): boolean => {
  if (cap === 'unlimited') return false;
  if (counted.has(key)) return used + reserved + 1 > cap;
  // Time that is up is up; tokens and money are taken by model calls, and only an overrun stops a tool.
  return key === 'budgets.turn_timeout_secs' ? used >= cap : used > cap;
};
