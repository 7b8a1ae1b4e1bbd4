import { countedKeys } from '../budget/join-caps.ts';
import type { CapUse, Facts } from '../events/parts.ts';
import type { Withheld } from '../tools/withheld.ts';

/** The cap, of the turn, of one above it or of the agent, that leaves no room for one more tool call; or an earlier call of the same
 * kind whose outcome nobody knows. */
export const judgeBudget = (facts: Pick<Facts, 'caps' | 'unsettled'>): Withheld | null => {
  const full = fullCap(facts.caps);
  if (full !== null) return { rule: full.key, pattern: null, why: whyFull(full) };
  if (facts.unsettled === null) return null;
  return {
    rule: 'gate.unsettled_outcome',
    pattern: null,
    why: `the same call in \`${facts.unsettled}\` has an unknown outcome that an operator must settle`,
  };
};

/** The first cap without room for one more tool call, or null. */
export const fullCap = (caps: readonly CapUse[]): CapUse | null => caps.find(isFull) ?? null;

const whyFull = ({ key, scope, cap, used, reserved }: CapUse): string =>
  used === 'unknown'
    ? `what counts against \`${key}\` of \`${scope}\` has no known price, so the cap cannot be kept`
    : `\`${key}\` of \`${scope}\` is ${cap}: ${used} used, ${reserved} reserved`;

const isFull = ({ key, cap, used, reserved }: CapUse): boolean => {
  if (cap === 'unlimited') return false;
  if (used === 'unknown') return true;
  if (countedKeys.has(key)) return used + reserved + 1 > cap;
  // Time that is up is up; tokens and money are taken by model calls, and only an overrun stops a tool.
  return key === 'budgets.turn_timeout_secs' ? used >= cap : used > cap;
};
