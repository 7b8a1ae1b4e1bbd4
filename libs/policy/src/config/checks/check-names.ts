import type { ConfigPath, ConfigProblem } from '../problem.ts';
import { atKey, riskHolders } from './check-context.ts';
import type { CheckContext, ConfigCheck } from './check-context.ts';
import { checkKey, checkName, checkNamesIn, targets } from './known-name.ts';

/** A name that leads nowhere: of a provider, a profile, a bundle, a server, a sibling. */
export const checkNames: ConfigCheck = (context) => [
  ...Object.entries(context.config.agents).flatMap(([alias, agent]) => {
    const at = (key: string): ConfigPath => ['agents', alias, key];
    return [
      ...checkName(context, at('provider'), agent.provider, targets.provider),
      ...checkName(context, at('risk_profile'), agent.risk_profile, targets.riskProfile),
      ...checkName(context, at('runtime_profile'), agent.runtime_profile, targets.runtimeProfile),
      ...checkNamesIn(context, at('mcp_bundles'), agent.mcp_bundles ?? [], targets.mcpBundle),
      ...checkNamesIn(context, at('skill_bundles'), agent.skill_bundles ?? [], targets.skillBundle),
    ];
  }),
  ...Object.entries(context.config.mcp_bundles).flatMap(([name, bundle]) =>
    checkNamesIn(context, ['mcp_bundles', name, 'servers'], bundle.servers, targets.mcpServer),
  ),
  ...riskHolders(context).flatMap(({ path, tables }) => siblings(context, path, tables.workspace)),
];

/** An agent that lacks a part is refused at each turn; here it is worth a warning. */
export const warnIncomplete: ConfigCheck = (context) =>
  Object.entries(context.config.agents).flatMap(([alias, agent]) => {
    const missing = (['provider', 'risk_profile', 'runtime_profile'] as const).filter(
      (key) => agent[key] === undefined,
    );
    if (missing.length === 0) return [];
    const keys = missing.map((key) => `\`${key}\``).join(' and ');
    const message = `\`${alias}\` has no ${keys}, so each of its turns is refused`;
    return [atKey(context, 'incomplete_agent', ['agents', alias], message)];
  });

const siblings = (
  context: CheckContext,
  path: ConfigPath,
  workspace: { readonly access?: Readonly<Record<string, unknown>> | undefined } | undefined,
): ConfigProblem[] =>
  Object.keys(workspace?.access ?? {}).flatMap((name) => {
    const at = [...path, 'workspace', 'access', name];
    if (path[0] === 'agents' && path[1] === name) {
      const message = `\`${name}\` needs no access to its own workspace, leave it out`;
      return [atKey(context, 'cannot_act', at, message)];
    }
    return checkKey(context, at, name, targets.agent);
  });
