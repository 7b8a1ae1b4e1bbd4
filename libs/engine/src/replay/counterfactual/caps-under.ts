import type { PolicySnapshot } from '@lockstep/policy';
import type { CapUse } from '../../events/parts.ts';
import type { OpenTurn } from '../../turn/state.ts';
import type { Walk } from './walk.ts';

/** Caps outside a turn's own stream, used as recorded, with the limits that the other policies give them. A cap of a turn above counts
 * only where the turn still hangs below it. */
export const capsUnder = (
  walk: Walk,
  state: OpenTurn,
  recorded: readonly CapUse[],
): readonly CapUse[] => {
  const { policy, records } = state;
  noteUnseen(walk, policy);
  return recorded.flatMap((cap): readonly CapUse[] => {
    if (cap.scope === state.turn) return [cap];
    if (cap.scope === policy.agent) return limited(cap, policy);
    const { parent } = records;
    if (parent?.turn === cap.scope) return limited(cap, parent.snapshot);
    return walk.ask.start !== undefined && parent === undefined ? [] : [cap];
  });
};

const limited = (cap: CapUse, { budgets }: PolicySnapshot): readonly CapUse[] => {
  const name = cap.key.slice('budgets.'.length);
  const limit: unknown = Reflect.get(budgets, name);
  return typeof limit === 'number' ? [{ ...cap, cap: limit }] : limit === 'unlimited' ? [] : [cap];
};

const windows = ['max_actions_per_hour', 'max_cost_usd_per_day'] as const;

/** Without a cap nobody wrote down how much of its window was used. */
const noteUnseen = ({ recordedPolicy, notes }: Walk, { budgets }: PolicySnapshot): void => {
  for (const name of windows)
    if (budgets[name] !== 'unlimited' && recordedPolicy.budgets[name] === 'unlimited')
      notes.add(
        `how much of \`budgets.${name}\` was used is not recorded, because it was unlimited: the cap was left out`,
      );
};
