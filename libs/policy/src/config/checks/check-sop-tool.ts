import { entryOf } from '../../orders/map.ts';
import type { ConfigProblem } from '../problem.ts';
import {
  atKey,
  atValue,
  riskHolders,
  type CheckContext,
  type ConfigCheck,
} from './check-context.ts';

/** A procedure starts by the tool where it says so and a policy permits it: one without the other does nothing. */
export const warnSopTool: ConfigCheck = (context) => [
  ...unpermitted(context),
  ...unreachable(context),
];

const unpermitted = (context: CheckContext): ConfigProblem[] => {
  const permitted = riskHolders(context).flatMap(({ tables }) => tables.delegation?.sops ?? []);
  return Object.entries(context.config.sops).flatMap(([name, { triggers }]) => {
    if (!triggers.includes('tool') || permitted.includes(name)) return [];
    const message = `no \`delegation.sops\` names \`${name}\`: its trigger \`tool\` never comes`;
    return [atKey(context, 'cannot_act', ['sops', name, 'triggers'], message)];
  });
};

const unreachable = (context: CheckContext): ConfigProblem[] =>
  riskHolders(context).flatMap(({ path, tables }) =>
    (tables.delegation?.sops ?? []).flatMap((name, index) => {
      const sop = entryOf(context.config.sops, name);
      if (sop === null || sop.triggers.includes('tool')) return [];
      const message = `\`${name}\` is not started by a tool: add \`tool\` to its triggers`;
      return [atValue(context, 'cannot_act', [...path, 'delegation', 'sops', index], message)];
    }),
  );
