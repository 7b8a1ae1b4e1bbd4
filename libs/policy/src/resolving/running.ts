import { denyPatterns } from '../orders/deny-patterns.ts';
import { entryOf } from '../orders/map.ts';
import { sameValue, sortedSet } from '../orders/order.ts';
import { set } from '../orders/set.ts';
import { isWithin } from '../paths.ts';
import type { ProvenanceEntry } from '../resolution.ts';
import { settingKeys, type SettingKey } from '../setting-key.ts';
import type { PolicySnapshot } from '../snapshot.ts';
import { settings } from '../surfaces/registry.ts';
import type { Place } from '../surfaces/setting.ts';
import { finish, type Finished, type Provided } from './agent-policy.ts';
import type { PolicyFacts, Protection } from './facts.ts';
import { deepFreeze, valueAt, valuesOf } from './snapshot-parts.ts';

/** A policy as resolved, without its seal. */
interface Resolved {
  readonly snapshot: PolicySnapshot;
  readonly provenance: readonly ProvenanceEntry[];
}

/** What a running turn may do after its request was resolved again: what both policies grant. `keys` are the settings that differ
 * from the effective policy, in the order of the registry. */
export const meetRunning = (
  place: Place,
  effective: PolicySnapshot,
  resolved: Resolved,
): { readonly finished: Finished; readonly keys: readonly SettingKey[] } => {
  const provided = meetValues(effective, resolved);
  const facts = deepFreeze(meetFacts(effective, resolved.snapshot));
  const finished = finish(place, facts, provided, (own) => meetProtection(effective, own));
  return { finished, keys: changedKeys(effective, finished.parts.snapshot) };
};

const meetValues = (effective: PolicySnapshot, { snapshot, provenance }: Resolved): Provided => {
  const held = valuesOf(effective);
  const next = valuesOf(snapshot);
  const values = new Map<SettingKey, unknown>();
  const from = new Map<SettingKey, ProvenanceEntry>(provenance.map((entry) => [entry.key, entry]));
  for (const { key, order } of settings) {
    const met = order.meet(held.get(key), next.get(key));
    values.set(key, key === 'workspace.access' ? unmoved(met, effective, snapshot) : met);
  }
  for (const [key, value] of values) {
    deepFreeze(value);
    if (!sameValue(value, next.get(key)))
      from.set(key, { key, source: 'narrowing', name: 'turn', path: null });
  }
  return { values, provenance: from };
};

/** Access without the siblings whose folder is another now: the old one is no longer theirs, the new one was never granted. */
const unmoved = (met: unknown, effective: PolicySnapshot, resolved: PolicySnapshot): unknown =>
  Object.fromEntries(
    Object.entries(met as PolicySnapshot['workspace']['access']).filter(
      ([alias]) =>
        entryOf(effective.workspace.siblings, alias)?.root ===
        entryOf(resolved.workspace.siblings, alias)?.root,
    ),
  );

const meetFacts = (effective: PolicySnapshot, resolved: PolicySnapshot): PolicyFacts => ({
  provider: effective.provider,
  siblings: mapEntries(resolved.workspace.siblings, (alias, sibling) => {
    const before = entryOf(effective.workspace.siblings, alias)?.forbidden_paths ?? [];
    const forbidden_paths = denyPatterns(['/']).meet(sibling.forbidden_paths, before);
    return { ...sibling, forbidden_paths };
  }),
  directories: resolved.skills.directories ?? {},
  repeatable: mapEntries(resolved.mcp.repeatable, (server, tools) =>
    set.meet(tools, entryOf(effective.mcp.repeatable, server) ?? []),
  ),
  servers: mapEntries(resolved.mcp.servers, (server, fact) => ({
    ...fact,
    network: fact.network && (entryOf(effective.mcp.servers, server)?.network ?? false),
  })),
});

const mapEntries = <V>(
  record: Readonly<Record<string, V>>,
  read: (key: string, value: V) => V,
): Record<string, V> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, read(key, value)]));

const meetProtection = (effective: PolicySnapshot, resolved: Protection): Protection => {
  const held = effective.workspace;
  return {
    protected: sortedSet([...held.protected, ...resolved.protected]),
    protected_except: resolved.protected_except.filter(
      (path) => held.protected_except.includes(path) || isOpen(held, path),
    ),
  };
};

/** Whether nothing protects a path, or an exception between that and the path opens it. */
const isOpen = (held: Protection, path: string): boolean =>
  held.protected
    .filter((closed) => isWithin(closed, path))
    .every((closed) =>
      held.protected_except.some((open) => isWithin(closed, open) && isWithin(open, path)),
    );

const changedKeys = (before: PolicySnapshot, after: PolicySnapshot): readonly SettingKey[] => {
  const changed = new Set<SettingKey>(
    settingKeys.filter((key) => !sameValue(valueAt(before, key), valueAt(after, key))),
  );
  const paths = ({ workspace }: PolicySnapshot) => [
    workspace.siblings,
    workspace.protected,
    workspace.protected_except,
  ];
  if (!sameValue(paths(before), paths(after))) changed.add('workspace.forbidden_paths');
  const servers = ({ mcp }: PolicySnapshot) => [mcp.servers, mcp.repeatable];
  if (!sameValue(servers(before), servers(after))) changed.add('mcp.bundles');
  return settingKeys.filter((key) => changed.has(key));
};
