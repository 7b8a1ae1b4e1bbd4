import type { Narrowing } from '../request.ts';
import type { AppliedNarrowing } from '../resolution.ts';
import type { SettingKey } from '../setting-key.ts';
import type { PolicySnapshot } from '../snapshot.ts';
import { settings } from '../surfaces/registry.ts';
import type { Setting } from '../surfaces/setting.ts';
import { readNarrowing } from './narrowing-value.ts';
import { valueAt } from './snapshot-parts.ts';
import { ceilingPrefix } from './taking.ts';

type AnySetting = Setting<SettingKey, unknown>;
const byKey: ReadonlyMap<SettingKey, AnySetting> = new Map(settings.map((s) => [s.key, s]));

/** Everything that took something away from an effective policy, as one narrowing: what the turn leaves behind (a job) is met with
 * it for ever. A ceiling counts as what the turn had of it, so that nobody gets out of one by leaving work for later. */
export const foldNarrowings = (
  effective: PolicySnapshot,
  narrowings: readonly AppliedNarrowing[],
): Narrowing => {
  const met = new Map<SettingKey, unknown>();
  for (const { whose, values } of narrowings) {
    if (values === 'none') continue;
    for (const [key, value] of readNarrowing(values).values) {
      const setting = byKey.get(key);
      if (setting === undefined) continue;
      const held: unknown = valueAt(effective, key);
      const { order } = setting;
      if (order.own === true) {
        // Another agent's own value took nothing away.
        if (order.within(held, value)) met.set(key, held);
        continue;
      }
      const taken = whose.startsWith(ceilingPrefix) ? held : value;
      met.set(key, met.has(key) ? order.meet(met.get(key), taken) : order.normal(taken));
    }
  }
  return Object.fromEntries(met);
};
