import type { Facts } from '../events/parts.ts';
import type { Withheld } from '../tools/withheld.ts';

/** Whether an emergency stop or a pause of the agent holds. */
export const judgeFlags = (facts: Pick<Facts, 'stopped' | 'paused'>): Withheld | null => {
  if (facts.stopped)
    return { rule: 'gate.stopped', pattern: null, why: 'an emergency stop is set' };
  return facts.paused ? { rule: 'gate.paused', pattern: null, why: 'the agent is paused' } : null;
};
