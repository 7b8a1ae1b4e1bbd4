import { canonicalJson, digestOfText } from '../canonical.ts';
import { surfaceNames, type SurfaceName } from '../names.ts';
import { byText } from '../orders/order.ts';
import { settingKeys, type SettingKey } from '../setting-key.ts';
import type { SettingValues } from '../setting-values.ts';
import type { PolicySnapshot } from '../snapshot.ts';
import { registryVersion } from '../surfaces/registry.ts';
import { surfaceOf } from '../surfaces/setting.ts';
import type { PolicyFacts, Protection } from './facts.ts';

/** A snapshot with its digests, ready to be sealed; frozen all through. */
export interface SnapshotParts {
  readonly snapshot: PolicySnapshot;
  readonly digest: string;
  readonly surfaces: Readonly<Record<SurfaceName, string>>;
}

/** Values by key, of whatever type each key has. */
export type Values = ReadonlyMap<SettingKey, unknown>;

/** Puts values and facts together and takes the digests. */
export const snapshotOf = (
  agent: string,
  values: Values,
  facts: PolicyFacts & Protection,
): SnapshotParts => {
  const nested = nest(values);
  const whole: Record<string, unknown> = {
    registry: registryVersion,
    agent,
    provider: facts.provider,
    ...nested,
    workspace: {
      ...nested.workspace,
      protected: facts.protected,
      protected_except: facts.protected_except,
      siblings: facts.siblings,
    },
    skills: { ...nested.skills, directories: facts.directories },
    mcp: { ...nested.mcp, repeatable: facts.repeatable, servers: facts.servers },
  };
  return digested(deepFreeze(whole) as PolicySnapshot);
};

/** The digests of a snapshot, each over canonical bytes. */
export const digested = (snapshot: PolicySnapshot): SnapshotParts => {
  const texts = Object.entries(snapshot)
    .sort(([a], [b]) => byText(a, b))
    .map(([key, value]) => ({ key, text: canonicalJson(value) }));
  const surfaces = Object.fromEntries(
    texts.filter(({ key }) => isSurface(key)).map(({ key, text }) => [key, digestOfText(text)]),
  ) as Record<SurfaceName, string>;
  // The parts are canonical and sorted, so this is the canonical form of the whole.
  const whole = texts.map(({ key, text }) => `${JSON.stringify(key)}:${text}`).join(',');
  return { snapshot, digest: digestOfText(`{${whole}}`), surfaces: Object.freeze(surfaces) };
};

/** The values of a snapshot by key. */
export const valuesOf = (snapshot: PolicySnapshot): Values =>
  new Map(settingKeys.map((key) => [key, valueAt(snapshot, key)]));

/** One value of a snapshot. */
export const valueAt = <K extends SettingKey>(snapshot: PolicySnapshot, key: K): SettingValues[K] =>
  pathOfKey(key).reduce<unknown>(
    (at, part) => (at as Readonly<Record<string, unknown>>)[part],
    snapshot,
  ) as SettingValues[K];

/** Freezes a value and all that it holds. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
};

const paths = new Map(settingKeys.map((key) => [key, key.split('.')]));
const pathOfKey = (key: SettingKey): readonly string[] => paths.get(key) ?? [];
const surfaceSet: ReadonlySet<string> = new Set(surfaceNames);
const isSurface = (key: string): boolean => surfaceSet.has(key);

type Nested = Record<SurfaceName, Record<string, unknown>>;

const nest = (values: Values): Nested => {
  const nested: Record<string, Record<string, unknown>> = {};
  for (const [key, value] of values) {
    const [, middle = '', leaf] = pathOfKey(key);
    const surface = (nested[surfaceOf(key)] ??= {});
    if (leaf === undefined) surface[middle] = value;
    else surface[middle] = { ...(surface[middle] ?? {}), [leaf]: value };
  }
  return nested as Nested;
};
