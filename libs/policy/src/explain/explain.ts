import type { ProvenanceEntry } from '../resolution.ts';
import { valueAt } from '../resolving/snapshot-parts.ts';
import { settingKeys, type SettingKey } from '../setting-key.ts';
import type { PolicySnapshot } from '../snapshot.ts';
import { registry } from '../surfaces/registry.ts';
import { valueText } from './value-text.ts';

/** One setting of a policy with its value and where that came from. */
export interface ExplainedSetting {
  readonly key: SettingKey;
  /** The value as a person reads it. */
  readonly value: string;
  readonly source: ProvenanceEntry['source'];
  readonly name: string | null;
  readonly path: string | null;
  /** What the setting does, in one line. */
  readonly explain: string;
}

/** A setting in a few sentences: what it does, its default, how two values meet, where it is written. */
export const explainSetting = (key: SettingKey): string => {
  const { explain, fallback, order, written } = registry[key];
  return `${explain} Its default is \`${fallback}\`. It is written as \`${written}\` in ${writtenIn(key)}. Two values meet so: ${order.name}.`;
};

/** Every setting of a policy, in the order of the registry. */
export const explainPolicy = (policy: {
  readonly snapshot: PolicySnapshot;
  readonly provenance: readonly ProvenanceEntry[];
}): readonly ExplainedSetting[] => {
  const entries = new Map(policy.provenance.map((entry) => [entry.key, entry]));
  return settingKeys.map((key) => {
    const { source = 'default', name = null, path = null } = entries.get(key) ?? {};
    const value = valueText(key, valueAt(policy.snapshot, key));
    return { key, value, source, name, path, explain: registry[key].explain };
  });
};

/** Which config entries may hold a setting, narrowest reach first. */
export const writtenIn = (key: SettingKey): string => {
  switch (registry[key].layer) {
    case 'risk':
      return 'an agent or its risk profile';
    case 'runtime':
      return 'an agent or its runtime profile';
    case 'agent':
      return 'an agent';
  }
};
