import type { SettingKey } from '@lockstep/policy';
import type { ParityState } from './parity-state.ts';

/** What the log shows, one word each: that an agent had a turn over a trigger, and, by setting and expected value, that the setting
 * acted or that something is wrong. `setting`: of this one alone; null = of all. */
export const coverageOf = (
  { lanes }: ParityState,
  setting: SettingKey | null,
): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const [name, lane] of lanes) {
    found.add(name);
    for (const [key, byValue] of lane.keys) {
      if (setting !== null && key !== setting) continue;
      for (const [value, { bites, gap }] of byValue) {
        if (bites > 0) found.add(`${name} ${key} ${value}`);
        if (gap !== null) found.add(`${name} ${key} ${value} ${gap.kind}: ${gap.reason}`);
      }
    }
  }
  return found;
};
