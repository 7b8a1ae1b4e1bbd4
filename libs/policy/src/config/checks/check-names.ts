import { didYouMean } from '../nearest.ts';
import type { ConfigPath, ConfigProblem } from '../problem.ts';
import { atKey, atValue, namesIn, riskHolders } from './check-context.ts';
import type { CheckContext, ConfigCheck } from './check-context.ts';

/** Every name that stands for another entry must lead to one. */
export const checkNames: ConfigCheck = (context) => [
  ...Object.entries(context.config.agents).flatMap(([alias, agent]) => {
    const at = (key: string): ConfigPath => ['agents', alias, key];
    return [
      ...single(context, at('provider'), agent.provider, providers),
      ...single(context, at('risk_profile'), agent.risk_profile, riskProfiles),
      ...single(context, at('runtime_profile'), agent.runtime_profile, runtimeProfiles),
      ...several(context, at('mcp_bundles'), agent.mcp_bundles ?? [], bundles),
    ];
  }),
  ...Object.entries(context.config.mcp_bundles).flatMap(([name, bundle]) =>
    several(context, ['mcp_bundles', name, 'servers'], bundle.servers, servers),
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

interface Target {
  readonly section: readonly string[];
  readonly noun: string;
}
const providers: Target = { section: ['providers'], noun: 'provider' };
const riskProfiles: Target = { section: ['risk_profiles'], noun: 'risk profile' };
const runtimeProfiles: Target = { section: ['runtime_profiles'], noun: 'runtime profile' };
const bundles: Target = { section: ['mcp_bundles'], noun: 'MCP bundle' };
const servers: Target = { section: ['mcp', 'servers'], noun: 'MCP server' };
const agents: Target = { section: ['agents'], noun: 'agent' };

const single = (
  context: CheckContext,
  path: ConfigPath,
  name: string | undefined,
  target: Target,
): ConfigProblem[] => {
  const message = name === undefined ? null : missing(context, name, target);
  return message === null ? [] : [atValue(context, 'unknown_name', path, message)];
};

const several = (
  context: CheckContext,
  path: ConfigPath,
  names: readonly string[],
  target: Target,
): ConfigProblem[] =>
  names.flatMap((name, index) => single(context, [...path, index], name, target));

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
    const message = missing(context, name, agents);
    return message === null ? [] : [atKey(context, 'unknown_name', at, message)];
  });

const missing = (context: CheckContext, name: string, target: Target): string | null => {
  const known = namesIn(context, ...target.section);
  if (known.includes(name)) return null;
  const none = known.length === 0 ? `, no [${target.section.join('.')}] is defined` : '';
  return `unknown ${target.noun} \`${name}\`${none}${didYouMean(name, known)}`;
};
