import { entryOf } from '../orders/map.ts';
import type { AppliedConfig, ProvenanceEntry, ResolutionProblem } from '../resolution.ts';
import { settingKeys, type SettingKey } from '../setting-key.ts';
import { settings } from '../surfaces/registry.ts';
import type { Place } from '../surfaces/setting.ts';
import { closureOf, reader } from './closure.ts';
import { factsOf, protectionOf, type PolicyFacts, type Protection } from './facts.ts';
import { deepFreeze, snapshotOf, type SnapshotParts, type Values } from './snapshot-parts.ts';
import { isWellFormed } from './well-formed.ts';

/** Values with where each came from. */
export interface Provided {
  readonly values: Values;
  readonly provenance: ReadonlyMap<SettingKey, ProvenanceEntry>;
}

/** What an agent may do when nothing is taken away: the same for every request under one config. */
export interface AgentPolicy extends Provided {
  readonly place: Place;
  readonly facts: PolicyFacts;
  readonly parts: SnapshotParts;
  readonly entries: readonly ProvenanceEntry[];
  /** Policies of requests that took something away, by what they took. */
  readonly narrowed: Map<string, Finished>;
}

/** A policy ready to be sealed. */
export interface Finished {
  readonly parts: SnapshotParts;
  readonly entries: readonly ProvenanceEntry[];
}

/** The agent's policy, or why it has none. Derived once for each applied config. */
export const agentPolicyOf = (
  applied: AppliedConfig,
  alias: string,
): AgentPolicy | ResolutionProblem => {
  const known = cache.get(applied) ?? new Map<string, AgentPolicy | ResolutionProblem>();
  cache.set(applied, known);
  const found = known.get(alias);
  if (found !== undefined) return found;
  const derived = derive(applied, alias);
  // Names that config does not hold come from outside and are without number.
  if (entryOf(applied.config.agents, alias) !== null) known.set(alias, derived);
  return derived;
};

/** Closes values, puts them into a snapshot and lists where they came from. */
export const finish = (
  place: Place,
  facts: PolicyFacts,
  provided: Provided,
  protect: (own: Protection) => Protection = (own) => own,
): Finished => {
  const closed = close(provided, place);
  const read = reader(closed.values);
  const workspace = {
    root: read('workspace.root'),
    access: read('workspace.access'),
    siblings: facts.siblings,
  };
  const writable = read('context.identity.writable') ? read('context.identity.files') : [];
  const left = new Set(Object.keys(read('mcp.expose')));
  const parts = snapshotOf(place.alias, closed.values, {
    ...facts,
    repeatable: kept(facts.repeatable, left),
    servers: kept(facts.servers, left),
    ...protect(protectionOf(place, workspace, writable)),
  });
  return { parts, entries: entriesOf(closed.provenance) };
};

const cache = new WeakMap<AppliedConfig, Map<string, AgentPolicy | ResolutionProblem>>();

const kept = <V>(record: Record<string, V>, keys: ReadonlySet<string>): Record<string, V> =>
  Object.fromEntries(Object.entries(record).filter(([key]) => keys.has(key)));

const problem = (
  code: ResolutionProblem['code'],
  message: string,
  path: string,
): ResolutionProblem => ({ code, message, path });

const derive = (applied: AppliedConfig, alias: string): AgentPolicy | ResolutionProblem => {
  const { config, host } = applied;
  const at = `agents.${alias}`;
  const agent = entryOf(config.agents, alias);
  if (agent === null) return problem('unknown_agent', `no agent is called \`${alias}\``, at);
  if (!agent.enabled)
    return problem('disabled_agent', `agent \`${alias}\` is disabled`, `${at}.enabled`);
  const provider = agent.provider === undefined ? null : entryOf(config.providers, agent.provider);
  const lacks = [
    agent.provider === undefined || provider === null ? 'provider' : '',
    has(config.risk_profiles, agent.risk_profile) ? '' : 'risk_profile',
    has(config.runtime_profiles, agent.runtime_profile) ? '' : 'runtime_profile',
  ].filter((name) => name !== '');
  if (lacks.length > 0 || provider === null || agent.provider === undefined) {
    const message = `agent \`${alias}\` is incomplete: set ${lacks.map((l) => `\`${l}\``).join(', ')}`;
    return problem('incomplete_agent', message, at);
  }
  if (!isWellFormed(config) || !isWellFormed(host))
    return problem('incomplete_agent', 'the config holds text that is not valid Unicode', at);
  const place: Place = { alias, agent, config, host };
  const facts = deepFreeze(factsOf(place, agent.provider, provider));
  const provided = close(deriveAll(place), place);
  const finished = finish(place, facts, provided);
  return { ...provided, ...finished, place, facts, narrowed: new Map() };
};

const has = (record: Readonly<Record<string, unknown>>, name: string | undefined): boolean =>
  name !== undefined && entryOf(record, name) !== null;

const deriveAll = (place: Place): Provided => {
  const values = new Map<SettingKey, unknown>();
  const provenance = new Map<SettingKey, ProvenanceEntry>();
  for (const setting of settings) {
    const { key } = setting;
    const { value, source, name, path } = setting.derive(place);
    values.set(key, value);
    provenance.set(key, { key, source, name, path });
  }
  return { values: deepFreezeAll(values), provenance };
};

const deepFreezeAll = (values: Map<SettingKey, unknown>): Values => {
  for (const value of values.values()) deepFreeze(value);
  return values;
};

/** Restores what settings owe each other. */
export const close = (provided: Provided, { config }: Place): Provided => {
  const owed = closureOf(provided.values, config);
  if (owed.size === 0) return provided;
  const provenance = new Map(provided.provenance);
  for (const key of owed.keys())
    provenance.set(key, { key, source: 'closure', name: null, path: null });
  return { values: new Map([...provided.values, ...owed]), provenance };
};

const entriesOf = (provenance: Provided['provenance']): readonly ProvenanceEntry[] =>
  deepFreeze(
    settingKeys.flatMap((key) => {
      const entry = provenance.get(key);
      return entry === undefined ? [] : [entry];
    }),
  );
