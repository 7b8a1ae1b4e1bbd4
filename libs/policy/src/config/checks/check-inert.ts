import { builtinTools } from '../../builtin-tools.ts';
import { matchesClauses, matchesPattern, normalizeToolPattern } from '../../patterns.ts';
import type { Clauses } from '../../snapshot.ts';
import { registry } from '../../surfaces/registry.ts';
import type { Derived, Place } from '../../surfaces/setting.ts';
import { isTable } from '../document.ts';
import type { ConfigPath, ConfigProblem } from '../problem.ts';
import { agentPlaces, atKey, atValue, pathOfText, unusedRiskProfiles } from './check-context.ts';
import type { CheckContext, ConfigCheck } from './check-context.ts';
import { mayOverlap } from './tool-pattern.ts';

/** Settings that are written and can change nothing for any agent that has them. */
export const checkInert: ConfigCheck = (context) => [
  ...checkWorkspaceOnly(context),
  ...checkPatternsOfNoTool(context, 'approval.auto_approve'),
  ...checkPatternsOfNoTool(context, 'secrets.unseal'),
  ...checkPrivateHosts(context),
];

interface Holders<T> {
  readonly path: ConfigPath;
  readonly value: T;
  readonly places: readonly Place[];
}

/** Where a setting is written, with every agent that takes it from there. */
const writtenAt = <T>(
  context: CheckContext,
  setting: { derive(place: Place): Derived<T> },
): Holders<T>[] => {
  const found = new Map<string, { value: T; places: Place[] }>();
  for (const place of [...agentPlaces(context), ...unusedRiskProfiles(context)]) {
    const { path, value } = setting.derive(place);
    if (path === null) continue;
    const holders = found.get(path) ?? { value, places: [] };
    holders.places.push(place);
    found.set(path, holders);
  }
  return [...found].map(([path, { value, places }]) => ({ path: pathOfText(path), value, places }));
};

const checkWorkspaceOnly = (context: CheckContext): ConfigProblem[] =>
  writtenAt(context, registry['workspace.workspace_only']).flatMap(({ path, value, places }) => {
    const permitted = places.some(
      (place) =>
        registry['approval.autonomy'].derive(place).value === 'full' ||
        registry['workspace.unrestricted_filesystem'].derive(place).value,
    );
    if (value || permitted) return [];
    const message =
      '`workspace_only = false` cannot act without `autonomy = "full"` or `unrestricted_filesystem = true`';
    return [atKey(context, 'cannot_act', path, message)];
  });

const checkPatternsOfNoTool = (
  context: CheckContext,
  key: 'approval.auto_approve' | 'secrets.unseal',
): ConfigProblem[] =>
  writtenAt(context, registry[key]).flatMap(({ path, places }) =>
    writtenItems(context, path).flatMap(({ text, index }) => {
      const id = normalizeToolPattern(text);
      if (places.some((place) => !isJudged(place) || meetsAllowedTool(place, id))) return [];
      const message = `\`${text}\` cannot act: \`tools\` allow no tool that it matches`;
      return [atValue(context, 'cannot_act', [...path, index], message)];
    }),
  );

/** A profile that no agent uses and that leaves `allowed` to the agent cannot be judged by itself. */
const isJudged = (place: Place): boolean =>
  place.alias in place.config.agents || registry['tools.allowed'].derive(place).path !== null;

const meetsAllowedTool = (place: Place, id: string): boolean => {
  const allowed = registry['tools.allowed'].derive(place).value;
  const denied = registry['tools.denied'].derive(place).value;
  const isDenied = (tool: string) => denied.some((pattern) => matchesPattern(pattern, tool));
  const builtin = builtinTools.some(
    (tool) =>
      matchesPattern(id, tool.id) && matchesClauses(allowed, tool.id).ok && !isDenied(tool.id),
  );
  if (builtin) return true;
  const elsewhere = !id.startsWith('builtin:') && overlapsEvery(allowed, id);
  return elsewhere && (id.includes('*') || !isDenied(id));
};

const overlapsEvery = (clauses: Clauses, id: string): boolean =>
  clauses.every((patterns) =>
    patterns.some((pattern) => !pattern.startsWith('builtin:') && mayOverlap(pattern, id)),
  );

const checkPrivateHosts = (context: CheckContext): ConfigProblem[] =>
  writtenAt(context, registry['network.allowed_hosts']).flatMap(({ path, places }) => {
    const blocked = places.every(
      (place) => registry['network.block_private_addresses'].derive(place).value,
    );
    if (!blocked) return [];
    return writtenItems(context, path).flatMap(({ text, index }) => {
      if (!isPrivate(text)) return [];
      const message = `\`${text}\` is a private address and cannot act without \`block_private_addresses = false\``;
      return [atValue(context, 'cannot_act', [...path, index], message)];
    });
  });

const isPrivate = (pattern: string): boolean =>
  /^(https?:\/\/)?(localhost|127\.[0-9.]+|10\.[0-9.]+|192\.168\.[0-9.]+|169\.254\.[0-9.]+|172\.(1[6-9]|2[0-9]|3[01])\.[0-9.]+|0\.0\.0\.0|\[::1?\]|\[f[cd][0-9a-f:]+\]|\[fe80:[0-9a-f:]*\])(:[0-9]+)?$/i.test(
    pattern,
  );

/** The texts of a list as it stands in the file. */
const writtenItems = (
  context: CheckContext,
  path: ConfigPath,
): { readonly text: string; readonly index: number }[] => {
  const list = path.reduce<unknown>(
    (table, key) => (isTable(table) && Object.hasOwn(table, key) ? table[key] : null),
    context.document.value,
  );
  if (!Array.isArray(list)) return [];
  return list.flatMap((text: unknown, index) =>
    typeof text === 'string' ? [{ text, index }] : [],
  );
};
