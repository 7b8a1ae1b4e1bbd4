import type { z } from 'zod';
import type { AgentConfig } from '../config/agent.schema.ts';
import type { Config } from '../config/config.schema.ts';
import type { riskProfileSchema, runtimeProfileSchema } from '../config/settings.schema.ts';
import type { Alias, SurfaceName } from '../names.ts';
import { entryOf } from '../orders/map.ts';
import type { Order } from '../orders/order.ts';
import type { Host } from '../request.ts';
import type { ProvenanceEntry } from '../resolution.ts';
import type { SettingKey } from '../setting-key.ts';
import type { SettingValues } from '../setting-values.ts';

/** Which agent a value is derived for, and all that it may be derived from. */
export interface Place {
  readonly alias: Alias;
  readonly agent: AgentConfig;
  readonly config: Config;
  readonly host: Host;
}

/** A value with where it came from. */
export interface Derived<T> {
  readonly value: T;
  readonly source: ProvenanceEntry['source'];
  readonly name: string | null;
  readonly path: string | null;
}

/** Which layer below the agent may hold a setting; `agent` = none does. */
export type LayerKind = 'risk' | 'runtime' | 'agent';

/** One entry of the registry: all that the program knows of a setting. */
export interface Setting<K extends SettingKey = SettingKey, T = SettingValues[K]> {
  readonly key: K;
  readonly surface: SurfaceName;
  readonly order: Order<T>;
  readonly layer: LayerKind;
  /** Where it is written, from the profile or agent on. */
  readonly written: string;
  /** The default as it would be written in config. */
  readonly fallback: string;
  /** One line: what the setting does. */
  readonly explain: string;
  /** The value of this setting for an agent by the layers of config, in normal form. */
  derive(place: Place): Derived<T>;
}

type Risk = z.infer<typeof riskProfileSchema>;
type Runtime = z.infer<typeof runtimeProfileSchema>;
/** The tables that a layer may hold. */
export type Tables = Omit<Risk, 'locked'> & Omit<Runtime, 'locked'>;

interface Spec<T> {
  readonly order: Order<T>;
  readonly fallback: string;
  readonly explain: string;
}

interface LayeredSpec<T, W> extends Spec<T> {
  readonly layer: 'risk' | 'runtime';
  /** Where it is written when that is not the key. */
  readonly written?: string;
  pick(tables: Tables): W | undefined;
  read(written: W, place: Place): T;
  default(place: Place): T;
}

interface AgentSpec<T> extends Spec<T> {
  readonly written: string;
  /** Null: the agent does not say. */
  read(place: Place): T | null;
  default(place: Place): T;
}

/** A setting that the agent, then its risk or runtime profile, may write. A written value replaces the lower one whole. */
export const layered = <K extends SettingKey, W>(
  key: K,
  spec: LayeredSpec<SettingValues[K], W>,
): Setting<K> => {
  const written = spec.written ?? key;
  return {
    ...shared(key, spec),
    layer: spec.layer,
    written,
    derive(place) {
      for (const layer of layersOf(place, spec.layer)) {
        const found = spec.pick(layer.tables);
        if (found === undefined) continue;
        const value = spec.order.normal(spec.read(found, place));
        return { value, source: layer.source, name: layer.name, path: `${layer.at}.${written}` };
      }
      return defaulted(spec.order.normal(spec.default(place)));
    },
  };
};

/** A setting that only the agent's own entry leads to. */
export const ofAgent = <K extends SettingKey>(
  key: K,
  spec: AgentSpec<SettingValues[K]>,
): Setting<K> => ({
  ...shared(key, spec),
  layer: 'agent',
  written: spec.written,
  derive(place) {
    const found = spec.read(place);
    if (found === null) return defaulted(spec.order.normal(spec.default(place)));
    const path = `agents.${place.alias}.${spec.written}`;
    return { value: spec.order.normal(found), source: 'agent', name: place.alias, path };
  },
});

const shared = <K extends SettingKey>(key: K, spec: Spec<SettingValues[K]>) => ({
  key,
  surface: surfaceOf(key),
  order: spec.order,
  fallback: spec.fallback,
  explain: spec.explain,
});

/** The surface that a key belongs to: its first part. */
export const surfaceOf = (key: SettingKey): SurfaceName => key.split('.', 1)[0] as SurfaceName;

const defaulted = <T>(value: T): Derived<T> => ({
  value,
  source: 'default',
  name: null,
  path: null,
});

interface Layer {
  readonly source: 'agent' | 'risk_profile' | 'runtime_profile';
  readonly name: string;
  readonly at: string;
  readonly tables: Tables;
}

const layersOf = (place: Place, kind: 'risk' | 'runtime'): Layer[] => {
  const { alias, agent, config } = place;
  const layers: Layer[] = [{ source: 'agent', name: alias, at: `agents.${alias}`, tables: agent }];
  const name = kind === 'risk' ? agent.risk_profile : agent.runtime_profile;
  if (name === undefined) return layers;
  const profiles = kind === 'risk' ? config.risk_profiles : config.runtime_profiles;
  const tables = entryOf<Tables>(profiles, name);
  if (tables === null) return layers;
  const source = kind === 'risk' ? 'risk_profile' : 'runtime_profile';
  return [...layers, { source, name, at: `${source}s.${name}`, tables }];
};
