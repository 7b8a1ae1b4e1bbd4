import type { DataOf, TurnFact } from '../events/event.ts';
import type { CapUse } from '../events/parts.ts';

/** Name of a cap among those that a turn has warned of. */
export const capName = (key: string, scope: string): string => `${key} ${scope}`;

/** Warnings of caps whose use has reached the share at which the policy warns, of each cap once in a turn. What is only held does not
 * count, and a cost that is not known is no share of anything. */
export const warnings = (
  caps: readonly CapUse[],
  at: {
    readonly turn: string;
    /** Null = the policy does not warn. */
    readonly percent: number | null;
    /** Names of caps that were warned of. */
    readonly warned: readonly string[];
  },
): readonly TurnFact[] =>
  caps.flatMap(({ key, scope, cap, used }): TurnFact[] => {
    if (at.percent === null || cap === 'unlimited' || used === 'unknown' || cap === 0) return [];
    if (used * 100 < cap * at.percent || at.warned.includes(capName(key, scope))) return [];
    const data: DataOf<'BudgetWarning'> = {
      key,
      cap,
      used,
      ...(scope === at.turn ? {} : { scope }),
    };
    return [{ type: 'BudgetWarning', data }];
  });
