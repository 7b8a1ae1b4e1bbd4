import type { ConfigPath, ConfigProblem } from '../problem.ts';
import { atValue, namesIn, riskHolders } from './check-context.ts';
import type { CheckContext, ConfigCheck } from './check-context.ts';
import { matchesNothing, misspelt, type KnownTools, type PatternMiss } from './tool-pattern.ts';

/** Tool patterns must be well spelt, and one that allows must be able to meet a tool. */
export const checkToolPatterns: ConfigCheck = (context) => {
  const known = knownTools(context);
  return patternsOf(context).flatMap(({ path, pattern, grants }) => {
    const miss = misspelt(pattern) ?? (grants ? matchesNothing(pattern, known) : null);
    return miss === null ? [] : [problemOf(context, path, miss)];
  });
};

/** A deny pattern may meet nothing; as a slip of the pen would then protect nothing, it is worth a warning. */
export const warnIdleDenials: ConfigCheck = (context) => {
  const known = knownTools(context);
  return patternsOf(context).flatMap(({ path, pattern, grants }) => {
    if (grants || misspelt(pattern) !== null) return [];
    const miss = matchesNothing(pattern, known);
    return miss === null ? [] : [problemOf(context, path, miss)];
  });
};

/** A pattern of a skill's scripts, where config has no folder of skills at all: it can meet nothing. */
export const warnIdleSkills: ConfigCheck = (context) =>
  namesIn(context, 'skill_bundles').length > 0
    ? []
    : patternsOf(context)
        .filter(({ pattern }) => pattern.startsWith('skill:') && misspelt(pattern) === null)
        .map(({ path, pattern }) => {
          const message = `\`${pattern}\` matches no skill: config has no skill bundle`;
          return atValue(context, 'matches_nothing', path, message);
        });

interface WrittenPattern {
  readonly path: ConfigPath;
  readonly pattern: string;
  readonly grants: boolean;
}

const patternsOf = (context: CheckContext): WrittenPattern[] => [
  ...riskHolders(context).flatMap(({ path, tables }) => [
    ...each([...path, 'tools', 'allowed'], tables.tools?.allowed, true),
    ...each([...path, 'tools', 'denied'], tables.tools?.denied, false),
    ...each([...path, 'approval', 'auto_approve'], tables.approval?.auto_approve, true),
    ...each([...path, 'approval', 'always_ask'], tables.approval?.always_ask, false),
    ...each([...path, 'secrets', 'unseal'], tables.secrets?.unseal, true),
  ]),
  ...scopesIn(context),
];

/** What jobs, steps, channels and edges leave or grant. */
const scopesIn = ({ config }: CheckContext): WrittenPattern[] => [
  ...Object.entries(config.cron).flatMap(([name, { tools }]) =>
    each(['cron', name, 'tools'], tools, true),
  ),
  ...Object.entries(config.sops).flatMap(([name, { steps }]) =>
    steps.flatMap(({ tools }, index) => each(['sops', name, 'steps', index, 'tools'], tools, true)),
  ),
  ...Object.entries(config.channels).flatMap(([kind, channels]) =>
    Object.entries<{ tools?: '*' | readonly string[] | undefined }>(channels).flatMap(
      ([alias, { tools }]) => each(['channels', kind, alias, 'tools'], tools, true),
    ),
  ),
  ...Object.entries(config.agents).flatMap(([alias, { delegates = [] }]) =>
    delegates.flatMap(({ grants }, index) =>
      each(['agents', alias, 'delegates', index, 'grants', 'tools'], grants?.tools, true),
    ),
  ),
];

const each = (
  path: ConfigPath,
  patterns: '*' | readonly string[] | undefined,
  grants: boolean,
): WrittenPattern[] =>
  patterns === undefined || patterns === '*'
    ? []
    : patterns.map((pattern, index) => ({ path: [...path, index], pattern, grants }));

const problemOf = (context: CheckContext, path: ConfigPath, miss: PatternMiss): ConfigProblem =>
  atValue(context, miss.code, path, miss.message);

const knownTools = (context: CheckContext): KnownTools => ({
  servers: new Map(
    namesIn(context, 'mcp', 'servers').map((alias) => [
      alias,
      namesIn(context, 'mcp', 'servers', alias, 'tools'),
    ]),
  ),
});
