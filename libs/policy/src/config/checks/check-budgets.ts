import { entryOf } from '../../orders/map.ts';
import { registry } from '../../surfaces/registry.ts';
import type { Place } from '../../surfaces/setting.ts';
import type { ConfigProblem } from '../problem.ts';
import { agentPlaces, atKey, atValue, pathOfText } from './check-context.ts';
import type { CheckContext, ConfigCheck } from './check-context.ts';

/** A cap on cost needs a price, the default cap too; a loop needs room in its window. */
export const checkBudgets: ConfigCheck = (context) => [
  ...agentPlaces(context).flatMap((place) => checkPrice(context, place)),
  ...loopHolders(context).flatMap(({ path, loop }) => {
    if (loop === undefined || loop.max_repeats <= loop.window) return [];
    const message = `\`max_repeats\` ${loop.max_repeats} cannot act in a window of ${loop.window} calls`;
    return [atKey(context, 'cannot_act', [...path, 'budgets', 'loop_detection'], message)];
  }),
];

const costCaps = ['max_cost_usd_per_turn', 'max_cost_usd_per_day'] as const;

const checkPrice = (context: CheckContext, place: Place): ConfigProblem[] => {
  const alias = place.agent.provider;
  const provider = alias === undefined ? null : entryOf(context.config.providers, alias);
  if (provider === null || provider.type === 'scripted' || provider.prices !== undefined) return [];
  return costCaps.flatMap((name) => {
    const cap = registry[`budgets.${name}`].derive(place);
    if (cap.value === 'unlimited') return [];
    const which = cap.path === null ? `the default \`${name}\`` : `\`${name}\``;
    const message = `${which} cannot act for \`${place.alias}\`: provider \`${alias ?? ''}\` has no price, set its \`prices\` or \`${name} = "unlimited"\``;
    return [
      cap.path === null
        ? atValue(context, 'cannot_act', ['agents', place.alias, 'provider'], message)
        : atKey(context, 'cannot_act', pathOfText(cap.path), message),
    ];
  });
};

const loopHolders = ({ config }: CheckContext) => [
  ...Object.entries(config.agents).map(([name, tables]) => ({
    path: ['agents', name],
    loop: tables.budgets?.loop_detection,
  })),
  ...Object.entries(config.runtime_profiles).map(([name, tables]) => ({
    path: ['runtime_profiles', name],
    loop: tables.budgets?.loop_detection,
  })),
];
