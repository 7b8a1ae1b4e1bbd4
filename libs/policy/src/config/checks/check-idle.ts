import { builtinTools } from '../../builtin-tools.ts';
import { entryOf } from '../../orders/map.ts';
import { matchesClauses, matchesPattern } from '../../patterns.ts';
import type { SettingKey } from '../../setting-key.ts';
import type { SettingValues } from '../../setting-values.ts';
import { registry } from '../../surfaces/registry.ts';
import type { Derived, Place } from '../../surfaces/setting.ts';
import type { ConfigProblem } from '../problem.ts';
import {
  agentPlaces,
  atKey,
  pathOfText,
  unusedRiskProfiles,
  unusedRuntimeProfiles,
  type CheckContext,
  type ConfigCheck,
} from './check-context.ts';

/** Settings of delegation, memory, skills and commands that another setting leaves without effect. */
export const checkIdle: ConfigCheck = (context) => [
  ...idle(context, 'delegation.spawn', (value) => value, whyNoChildren),
  ...idle(context, 'delegation.sops', (value) => value.length > 0, whyNoChildren),
  ...idle(context, 'delegation.delegates', (value) => Object.keys(value).length > 0, whyNoChildren),
  ...idle(context, 'memory.auto_recall', (value) => value, whyNoMemory),
  ...idle(context, 'memory.read_memory_from', (value) => value.length > 0, whyNoMemory),
  ...idle(context, 'memory.writable', (value) => value, whyNoMemory),
  ...idle(context, 'memory.share', (value) => value === 'agent', whyNoMemory),
  ...idle(context, 'skills.allow_scripts', (value) => value, whyNoSkills),
  ...idle(context, 'skills.prompt_mode', (value) => value === 'full', whyNoSkills),
  ...idle(context, 'context.identity.writable', (value) => value, whyNoIdentity),
  ...idle(context, 'shell.allowed_commands', (value) => value[0]?.length !== 0, whyNoShell),
  ...jobsWithoutMemory(context),
];

/** What a setting is written for and yet cannot do for any agent that takes it from there. */
const idle = <K extends SettingKey>(
  context: CheckContext,
  key: K,
  wants: (value: SettingValues[K]) => boolean,
  why: (place: Place) => string | null,
): ConfigProblem[] => {
  const setting: { derive(place: Place): Derived<unknown> } = registry[key];
  const byPath = new Map<string, (string | null)[]>();
  const places = [
    ...agentPlaces(context),
    ...unusedRiskProfiles(context),
    ...unusedRuntimeProfiles(context),
  ];
  for (const place of places) {
    const { path, value } = setting.derive(place);
    if (path === null || !wants(value as SettingValues[K])) continue;
    byPath.set(path, [...(byPath.get(path) ?? []), why(place)]);
  }
  return [...byPath].flatMap(([path, reasons]) => {
    const [reason] = reasons;
    if (reason === undefined || reason === null || reasons.includes(null)) return [];
    const name = path.slice(path.lastIndexOf('.') + 1);
    return [atKey(context, 'cannot_act', pathOfText(path), `\`${name}\` cannot act ${reason}`)];
  });
};

/** A profile that no agent uses leaves to the agents what it does not say itself. */
const isLeftOpen = (place: Place, key: SettingKey): boolean =>
  entryOf(place.config.agents, place.alias) !== place.agent &&
  registry[key].derive(place).path === null;

const whyNoChildren = (place: Place): string | null => {
  const mode = registry['delegation.mode'].derive(place).value;
  if (mode === 'forbidden')
    return isLeftOpen(place, 'delegation.mode') ? null : 'without `delegation.mode = "allow"`';
  return registry['delegation.max_depth'].derive(place).value === 0
    ? 'with `delegation.max_depth = 0`'
    : null;
};

const whyNoMemory = (place: Place): string | null =>
  registry['memory.backend'].derive(place).value === 'none'
    ? 'with `memory.backend = "none"`'
    : null;

const whyNoSkills = (place: Place): string | null => {
  if (entryOf(place.config.agents, place.alias) !== place.agent) return null;
  return (place.agent.skill_bundles ?? []).length === 0 ? 'without `skill_bundles`' : null;
};

const whyNoIdentity = (place: Place): string | null =>
  registry['context.identity.files'].derive(place).value.length > 0 ||
  isLeftOpen(place, 'context.identity.files')
    ? null
    : 'without `context.identity.files`';

/** Commands are what `shell` runs, and scripts of skills. */
const whyNoShell = (place: Place): string | null => {
  if (isLeftOpen(place, 'tools.allowed')) return null;
  const allowed = registry['tools.allowed'].derive(place).value;
  const denied = registry['tools.denied'].derive(place).value;
  const shell = builtinTools.some(
    ({ id }) =>
      id === 'builtin:shell' &&
      matchesClauses(allowed, id).ok &&
      !denied.some((pattern) => matchesPattern(pattern, id)),
  );
  const scripts = allowed.every((clause) => clause.some((p) => !/^(builtin|mcp):/.test(p)));
  return shell || scripts ? null : 'while `tools` allow neither `shell` nor a script of a skill';
};

const jobsWithoutMemory = (context: CheckContext): ConfigProblem[] =>
  Object.entries(context.config.cron).flatMap(([name, job]) => {
    const place = agentPlaces(context).find(({ alias }) => alias === job.agent);
    if (!job.uses_memory || place === undefined || whyNoMemory(place) === null) return [];
    const message = `\`uses_memory\` cannot act: \`${job.agent}\` has \`memory.backend = "none"\``;
    return [atKey(context, 'cannot_act', ['cron', name, 'uses_memory'], message)];
  });
