import { bindingsOf } from '../../surfaces/channel-owner.ts';
import { didYouMean } from '../nearest.ts';
import type { ConfigPath, ConfigProblem } from '../problem.ts';
import { atKey, atValue, namesIn, type CheckContext } from './check-context.ts';

/** What a name in config may lead to. */
export interface Target {
  readonly section: readonly string[];
  readonly noun: string;
}

export const targets = {
  provider: { section: ['providers'], noun: 'provider' },
  riskProfile: { section: ['risk_profiles'], noun: 'risk profile' },
  runtimeProfile: { section: ['runtime_profiles'], noun: 'runtime profile' },
  mcpBundle: { section: ['mcp_bundles'], noun: 'MCP bundle' },
  mcpServer: { section: ['mcp', 'servers'], noun: 'MCP server' },
  skillBundle: { section: ['skill_bundles'], noun: 'skill bundle' },
  agent: { section: ['agents'], noun: 'agent' },
  sop: { section: ['sops'], noun: 'procedure' },
  job: { section: ['cron'], noun: 'job' },
  person: { section: ['people'], noun: 'person' },
} as const satisfies Record<string, Target>;

/** The problem of a name that leads nowhere; none when it leads somewhere or is not written. */
export const checkName = (
  context: CheckContext,
  path: ConfigPath,
  name: string | undefined,
  target: Target,
): ConfigProblem[] => {
  const message = name === undefined ? null : missing(context, name, target);
  return message === null ? [] : [atValue(context, 'unknown_name', path, message)];
};

export const checkNamesIn = (
  context: CheckContext,
  path: ConfigPath,
  names: readonly string[],
  target: Target,
): ConfigProblem[] =>
  names.flatMap((name, index) => checkName(context, [...path, index], name, target));

/** The same for a name that stands as a key. */
export const checkKey = (
  context: CheckContext,
  path: ConfigPath,
  name: string,
  target: Target,
): ConfigProblem[] => {
  const message = missing(context, name, target);
  return message === null ? [] : [atKey(context, 'unknown_name', path, message)];
};

/** The problem of a channel, `<kind>.<alias>`, that config does not hold. */
export const checkChannel = (
  context: CheckContext,
  path: ConfigPath,
  binding: string,
): ConfigProblem[] => {
  const message = noChannel(context, binding);
  return message === null ? [] : [atValue(context, 'unknown_name', path, message)];
};

/** Why a channel leads nowhere; null when config holds it. Channels count whose entries have a wrong shape. */
export const noChannel = (context: CheckContext, binding: string): string | null => {
  const known = namesIn(context, 'channels').flatMap((kind) =>
    namesIn(context, 'channels', kind).map((alias) => `${kind}.${alias}`),
  );
  if (known.includes(binding) || bindingsOf(context.config).includes(binding)) return null;
  const none = known.length === 0 ? ', no [channels] is defined' : '';
  return `unknown channel \`${binding}\`${none}${didYouMean(binding, known)}`;
};

const missing = (context: CheckContext, name: string, target: Target): string | null => {
  const known = namesIn(context, ...target.section);
  if (known.includes(name)) return null;
  const none = known.length === 0 ? `, no [${target.section.join('.')}] is defined` : '';
  return `unknown ${target.noun} \`${name}\`${none}${didYouMean(name, known)}`;
};
