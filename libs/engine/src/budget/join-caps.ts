import type { CapUse, RuleId } from '../events/parts.ts';
import { addCost, type Cost } from './price-of.ts';

/** Caps that a tool call takes one of. */
export const countedKeys: ReadonlySet<RuleId> = new Set<RuleId>([
  'budgets.max_tool_calls',
  'budgets.max_actions_per_hour',
]);

/** The caps of a turn's own stream, with what the turns below took of them, and all other caps. `taken`: tool calls of this turn that
 * were let through and that the others do not count yet; negative for a call that runs again, which they count already. */
export const joinCaps = (
  own: readonly CapUse[],
  outside: readonly CapUse[],
  { turn, taken }: { readonly turn: string; readonly taken: number },
): CapUse[] => {
  const joined = own.map((cap) => {
    const below = outside.find(({ key, scope }) => scope === turn && key === cap.key);
    return below === undefined
      ? cap
      : {
          ...cap,
          used: addCost(cap.used, below.used),
          reserved: cap.reserved + below.reserved,
        };
  });
  const others = outside
    .filter(({ scope }) => scope !== turn)
    .map((cap) => (taken !== 0 && countedKeys.has(cap.key) ? take(cap, taken) : cap));
  return [...joined, ...others];
};

const take = (cap: CapUse, taken: number): CapUse =>
  taken > 0
    ? { ...cap, reserved: cap.reserved + taken }
    : { ...cap, used: Math.max(0, numberOf(cap.used) + taken) };

const giveBack = (cap: CapUse, taken: number): CapUse =>
  taken > 0
    ? { ...cap, reserved: cap.reserved - taken }
    : { ...cap, used: numberOf(cap.used) - taken };

/** Calls are counted: there is no call of an unknown number. */
const numberOf = (used: Cost): number => (used === 'unknown' ? 0 : used);

/** The inverse for one verdict: what stood outside when these caps were made of a turn's own. */
export const outsideOf = (
  joined: readonly CapUse[],
  own: readonly CapUse[],
  { turn, taken }: { readonly turn: string; readonly taken: number },
): CapUse[] =>
  joined.flatMap((cap): CapUse[] => {
    if (cap.scope !== turn)
      return [taken !== 0 && countedKeys.has(cap.key) ? giveBack(cap, taken) : cap];
    // Active time is read as a whole: nothing of it is taken for another turn's.
    if (cap.key === 'budgets.turn_timeout_secs') return [];
    const mine = own.find(({ key }) => key === cap.key);
    if (mine === undefined) return [];
    const used = without(cap.used, mine.used);
    const reserved = cap.reserved - mine.reserved;
    return used === 0 && reserved === 0 ? [] : [{ ...cap, used, reserved }];
  });

const without = (all: Cost, mine: Cost): Cost => {
  if (mine === 'unknown') return 0;
  return all === 'unknown' ? 'unknown' : all - mine;
};
