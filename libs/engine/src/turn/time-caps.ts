import { capUses, nothingInFlight } from '../budget/cap-uses.ts';
import { joinCaps } from '../budget/join-caps.ts';
import type { CapUse } from '../events/parts.ts';
import { activeAt, type OpenTurn } from './state.ts';

/** The cap of active time. */
export const timeKey = 'budgets.turn_timeout_secs';

/** Caps of active time that bind a turn at `now`, in whole seconds: its own, with what those below it took of it, and those of the turns
 * above.
 * @param outside caps beside the turn's own stream */
export const timeCaps = (
  state: OpenTurn,
  outside: readonly CapUse[],
  now: number,
): readonly CapUse[] => {
  const own = capUses(state, { ...nothingInFlight, activeMs: activeAt(state, now) });
  return joinCaps(own.filter(isOfTime), outside.filter(isOfTime), { turn: state.turn, taken: 0 });
};

const isOfTime = ({ key }: CapUse): boolean => key === timeKey;
