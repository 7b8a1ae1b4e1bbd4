import { settingKeys, type SettingKey } from '../../setting-key.ts';
import { registry } from '../../surfaces/registry.ts';
import { isTable } from '../document.ts';
import { didYouMean } from '../nearest.ts';
import type { ConfigPath, ConfigProblem } from '../problem.ts';
import { atKey, atValue, pathOfText } from './check-context.ts';
import type { CheckContext, ConfigCheck } from './check-context.ts';

/** A lock names a setting that an agent could set, and no agent under the profile sets it. */
export const checkLocked: ConfigCheck = (context) => {
  const profiles = profilesOf(context);
  return [
    ...profiles.flatMap(({ section, name, locked }) =>
      locked.flatMap((key, index) => checkLock(context, [section, name, 'locked', index], key)),
    ),
    ...Object.entries(context.config.agents).flatMap(([alias, agent]) =>
      profiles
        .filter(({ section, name }) => agent[holders[section].key] === name)
        .flatMap(({ section, name, locked }) =>
          locked
            .filter(isSettingKey)
            .flatMap((key) =>
              checkAgent(context, alias, key, `${holders[section].noun} \`${name}\``),
            ),
        ),
    ),
  ];
};

const holders = {
  risk_profiles: { key: 'risk_profile', noun: 'risk profile' },
  runtime_profiles: { key: 'runtime_profile', noun: 'runtime profile' },
} as const;

interface Profile {
  readonly section: keyof typeof holders;
  readonly name: string;
  readonly locked: readonly string[];
}

const profilesOf = ({ config }: CheckContext): Profile[] => [
  ...Object.entries(config.risk_profiles).map(([name, { locked = [] }]): Profile => ({
    section: 'risk_profiles',
    name,
    locked,
  })),
  ...Object.entries(config.runtime_profiles).map(([name, { locked = [] }]): Profile => ({
    section: 'runtime_profiles',
    name,
    locked,
  })),
];

const checkLock = (context: CheckContext, at: ConfigPath, key: string): ConfigProblem[] => {
  if (!isSettingKey(key)) {
    const message = `unknown setting \`${key}\`${didYouMean(key, settingKeys)}`;
    return [atValue(context, 'unknown_name', at, message)];
  }
  if (registry[key].layer === 'agent' && key !== 'mcp.bundles')
    return [
      atValue(context, 'cannot_act', at, `\`${key}\` is set at the server, so no agent can set it`),
    ];
  return [];
};

const checkAgent = (
  context: CheckContext,
  alias: string,
  key: SettingKey,
  holder: string,
): ConfigProblem[] => {
  if (key.startsWith('mcp.') && key !== 'mcp.bundles') return [];
  const path = ['agents', alias, ...pathOfText(registry[key].written)];
  if (!isWritten(context.document.value, path)) return [];
  const message = `\`${key}\` is locked by ${holder}, leave it out here`;
  return [atKey(context, 'locked', path, message)];
};

const isWritten = (value: unknown, path: ConfigPath): boolean => {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  return isTable(value) && Object.hasOwn(value, key) && isWritten(value[key], rest);
};

const known: ReadonlySet<string> = new Set(settingKeys);
const isSettingKey = (key: string): key is SettingKey => known.has(key);
