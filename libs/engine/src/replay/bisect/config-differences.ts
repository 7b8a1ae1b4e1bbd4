import { canonicalJson, formatPath, settingKeys, type SettingKey } from '@lockstep/policy';
import {
  isConfigTable,
  withPlace,
  type ConfigPlace,
  type ConfigTable,
} from '../minimize/config-tree.ts';
import type { BisectKey } from './report.ts';

/** One place where two configs differ: a list is one value, a table is looked into. Undefined = nothing stands there. */
export interface ConfigDifference {
  readonly place: ConfigPlace;
  readonly before: unknown;
  readonly after: unknown;
}

/** Every place where two configs differ, in order of their names. */
export const configDifferences = (
  before: unknown,
  after: unknown,
  place: ConfigPlace = [],
): readonly ConfigDifference[] => {
  if (textOf(before) === textOf(after)) return [];
  if (!isConfigTable(before) || !isConfigTable(after)) return [{ place, before, after }];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .sort()
    .flatMap((key) => configDifferences(before[key], after[key], [...place, key]));
};

/** The earlier config with some of the differences made. */
export const withDifferences = (
  before: ConfigTable,
  some: readonly ConfigDifference[],
): ConfigTable =>
  some.reduce<ConfigTable>((left, { place, after }) => withPlace(left, place, after), before);

/** A difference as it is told. */
export const keyOf = ({ place, before, after }: ConfigDifference): BisectKey => ({
  path: formatPath(place),
  before: textOf(before),
  after: textOf(after),
  setting: settingAt(place),
});

const textOf = (value: unknown): string | null =>
  value === undefined ? null : canonicalJson(value);

const known: ReadonlySet<string> = new Set(settingKeys);
const isSetting = (key: string): key is SettingKey => known.has(key);

/** Names of settings that stand elsewhere in the file. */
const elsewhere: Readonly<Record<string, SettingKey>> = {
  autonomy: 'approval.autonomy',
  skill_bundles: 'skills.bundles',
  mcp_bundles: 'mcp.bundles',
  channels: 'channels.bindings',
  delegates: 'delegation.delegates',
};

const holders: ReadonlySet<string> = new Set(['agents', 'risk_profiles', 'runtime_profiles']);

/** The setting that is written at a place, of an agent or of a profile; null = it is none of the registry. */
const settingAt = ([section = '', , ...rest]: ConfigPlace): SettingKey | null => {
  if (!holders.has(section)) return null;
  const [first = ''] = rest;
  for (let length = rest.length; length > 0; length -= 1) {
    const key = rest.slice(0, length).join('.');
    if (isSetting(key)) return key;
  }
  return elsewhere[first] ?? null;
};
