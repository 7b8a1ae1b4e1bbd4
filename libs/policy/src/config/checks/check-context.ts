import type { Host } from '../../request.ts';
import type { Place } from '../../surfaces/setting.ts';
import type { Config } from '../config.schema.ts';
import { isTable, problemAt, type ConfigDocument } from '../document.ts';
import type { ConfigPath, ConfigProblem, ConfigProblemCode } from '../problem.ts';
import type { ScheduleJudge } from '../read-document.ts';
import type { riskTables, runtimeTables } from '../settings.schema.ts';
import type { z } from 'zod';

/** What every check reads: the config, the text it came from and where its paths are anchored. */
export interface CheckContext {
  readonly document: ConfigDocument;
  readonly config: Config;
  readonly host: Host;
  /** Says what is wrong with the times of a job; absent when nobody here can tell. */
  readonly judgeSchedule?: ScheduleJudge;
}

/** One rule over a whole config: the problems it finds, in any order. */
export type ConfigCheck = (context: CheckContext) => ConfigProblem[];

/** A problem at a key of config. */
export const atKey = (
  context: CheckContext,
  code: ConfigProblemCode,
  path: ConfigPath,
  message: string,
): ConfigProblem => problemAt(code, path, context.document.keyAt(path), message);

/** A problem at a value of config. */
export const atValue = (
  context: CheckContext,
  code: ConfigProblemCode,
  path: ConfigPath,
  message: string,
): ConfigProblem => problemAt(code, path, context.document.valueAt(path), message);

/** The names that a section of the text declares, those included whose entries have a wrong shape. */
export const namesIn = (context: CheckContext, ...section: readonly string[]): string[] => {
  const found = section.reduce<unknown>(
    (table, key) => (isTable(table) && Object.hasOwn(table, key) ? table[key] : null),
    context.document.value,
  );
  return isTable(found) ? Object.keys(found) : [];
};

type RiskTables = { readonly [K in keyof typeof riskTables]: z.infer<(typeof riskTables)[K]> };

/** Every entry that may hold the tables of a risk profile, with the way to it. */
export const riskHolders = (
  context: CheckContext,
): { readonly path: ConfigPath; readonly tables: Partial<RiskTables> }[] => {
  const { agents, risk_profiles: profiles } = context.config;
  return [
    ...Object.entries(agents).map(([name, tables]) => ({ path: ['agents', name], tables })),
    ...Object.entries(profiles).map(([name, tables]) => ({
      path: ['risk_profiles', name],
      tables,
    })),
  ];
};

type RuntimeTables = {
  readonly [K in keyof typeof runtimeTables]: z.infer<(typeof runtimeTables)[K]>;
};

/** Every entry that may hold the tables of a runtime profile, with the way to it. */
export const runtimeHolders = (
  context: CheckContext,
): { readonly path: ConfigPath; readonly tables: Partial<RuntimeTables> }[] => {
  const { agents, runtime_profiles: profiles } = context.config;
  return [
    ...Object.entries(agents).map(([name, tables]) => ({ path: ['agents', name], tables })),
    ...Object.entries(profiles).map(([name, tables]) => ({
      path: ['runtime_profiles', name],
      tables,
    })),
  ];
};

/** Every agent, as the registry derives its values. */
export const agentPlaces = ({ config, host }: CheckContext): Place[] =>
  Object.entries(config.agents).map(([alias, agent]) => ({ alias, agent, config, host }));

/** A risk profile that no agent uses, as an agent that has nothing else: its settings are judged among themselves. */
export const unusedRiskProfiles = ({ config, host }: CheckContext): Place[] => {
  const used = new Set(Object.values(config.agents).map((agent) => agent.risk_profile));
  return Object.keys(config.risk_profiles)
    .filter((name) => !used.has(name))
    .map((name) => ({ alias: name, agent: { enabled: true, risk_profile: name }, config, host }));
};

/** The same of a runtime profile. */
export const unusedRuntimeProfiles = ({ config, host }: CheckContext): Place[] => {
  const used = new Set(Object.values(config.agents).map((agent) => agent.runtime_profile));
  return Object.keys(config.runtime_profiles)
    .filter((name) => !used.has(name))
    .map((name) => ({
      alias: name,
      agent: { enabled: true, runtime_profile: name },
      config,
      host,
    }));
};

/** The way to a setting, from the spelling of the registry. Names of config hold no dots. */
export const pathOfText = (text: string): ConfigPath => text.split('.');
