import type { Effect, PolicySnapshot } from '@lockstep/policy';
import { isReadOnly } from './effects.ts';
import type { Withheld } from './withheld.ts';

/** Whether `read_only` autonomy keeps these effects of a tool from happening. */
export const withheldByCeiling = (
  policy: PolicySnapshot,
  id: string,
  effects: readonly Effect[],
): Withheld | null =>
  policy.approval.autonomy !== 'read_only' || isReadOnly(effects)
    ? null
    : {
        rule: 'approval.autonomy',
        pattern: 'read_only',
        why: `\`${id}\` has the effects ${effects.join(', ')} and the autonomy is read_only`,
      };
