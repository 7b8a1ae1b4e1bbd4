import { entryOf } from '../../orders/map.ts';
import { absolutePath, isWithin, pathWithin } from '../../paths.ts';
import { matchesBelow } from '../../patterns.ts';
import { filesNamedBy } from '../../resolving/facts.ts';
import { registry } from '../../surfaces/registry.ts';
import type { Place } from '../../surfaces/setting.ts';
import { below, pathOf } from '../../surfaces/written.ts';
import type { ConfigPath, ConfigProblem } from '../problem.ts';
import { agentPlaces, atValue, pathOfText, riskHolders, runtimeHolders } from './check-context.ts';
import type { CheckContext, ConfigCheck } from './check-context.ts';

/** The spelling of every path in config. */
export const checkPathTexts: ConfigCheck = (context) => [
  ...riskHolders(context).flatMap(({ path, tables: { workspace } }) => {
    const at = [...path, 'workspace'];
    return [
      ...checkText(context, [...at, 'root'], workspace?.root),
      ...(workspace?.allowed_roots ?? []).flatMap((folder, index) =>
        checkText(context, [...at, 'allowed_roots', index], folder),
      ),
      ...(workspace?.forbidden_paths ?? []).flatMap((forbidden, index) =>
        checkForbidden(context, [...at, 'forbidden_paths', index], forbidden),
      ),
    ];
  }),
  ...runtimeHolders(context).flatMap(({ path, tables }) =>
    (tables.context?.identity?.files ?? []).flatMap((file, index) =>
      checkText(context, [...path, 'context', 'identity', 'files', index], file),
    ),
  ),
  ...Object.entries(context.config.skill_bundles).flatMap(([name, { directory }]) =>
    checkText(context, ['skill_bundles', name, 'directory'], directory),
  ),
  ...Object.entries(context.config.providers).flatMap(([alias, provider]) =>
    provider.type === 'scripted'
      ? checkText(context, ['providers', alias, 'script'], provider.script)
      : [],
  ),
];

/** A folder granted to an agent must not lie under a path that stays closed whatever is granted. */
export const checkRoots: ConfigCheck = (context) => {
  const guarded = protectedPaths(context);
  const found = agentPlaces(context).flatMap((place) => {
    const roots = rootsOf(place);
    const forbidden = registry['workspace.forbidden_paths'].derive(place).value;
    const closed: ClosedPaths = { forbidden, protected: guarded };
    return roots.flatMap((root) => {
      const why = whyClosed(root, roots, closed, place);
      const message = `\`${root.written}\` ${why ?? ''}, so nothing in it could be reached`;
      return why === null ? [] : [atValue(context, 'protected_path', root.at, message)];
    });
  });
  // Agents that share a profile share its problems.
  return [...new Map(found.map((problem) => [JSON.stringify(problem), problem])).values()];
};

interface Root {
  readonly absolute: string;
  readonly written: string;
  readonly at: ConfigPath;
}

const rootsOf = (place: Place): Root[] => {
  const root = registry['workspace.root'].derive(place);
  const extra = registry['workspace.allowed_roots'].derive(place);
  const tables = [
    place.agent.workspace,
    entryOf(place.config.risk_profiles, place.agent.risk_profile ?? '')?.workspace,
  ];
  const folders = tables.find((table) => table?.allowed_roots !== undefined)?.allowed_roots ?? [];
  return [
    {
      absolute: root.value,
      written: root.value,
      at: root.path === null ? ['agents', place.alias] : pathOfText(root.path),
    },
    ...folders.map((written, index) => ({
      absolute: pathOf(place, written),
      written,
      at: [...pathOfText(extra.path ?? ''), index],
    })),
  ];
};

interface ClosedPaths {
  readonly forbidden: readonly string[];
  readonly protected: readonly string[];
}

const protectedPaths = ({ config, host }: CheckContext): string[] => [
  host.config,
  host.data,
  ...host.program,
  ...filesNamedBy(config).map((file) => absolutePath(host.base, host.home, file)),
];

const whyClosed = (
  root: Root,
  all: readonly Root[],
  closed: ClosedPaths,
  place: Place,
): string | null => {
  for (const path of closed.forbidden) {
    const hit = path.startsWith('**/')
      ? all.some((outer) => fitsBelow(path, outer.absolute, root.absolute))
      : isWithin(path, root.absolute);
    if (hit) return `lies under the forbidden path \`${path}\``;
  }
  if (isWithin(below(place.host.data, 'workspaces'), root.absolute)) return null;
  const path = closed.protected.find((candidate) => isWithin(candidate, root.absolute));
  return path === undefined ? null : `lies under \`${path}\`, which no setting can open`;
};

const fitsBelow = (pattern: string, outer: string, inner: string): boolean => {
  const relative = pathWithin(outer, inner);
  return relative !== null && relative !== '' && matchesBelow(pattern, relative);
};

const checkText = (
  context: CheckContext,
  at: ConfigPath,
  written: string | undefined,
): ConfigProblem[] => {
  if (written === undefined) return [];
  const wrong = wrongText(written);
  return wrong === null ? [] : [atValue(context, 'invalid_value', at, wrong)];
};

const checkForbidden = (
  context: CheckContext,
  at: ConfigPath,
  written: string,
): ConfigProblem[] => {
  if (!written.startsWith('**/')) {
    const wrong = written.includes('*')
      ? `\`${written}\` is no forbidden path: write a path, or a pattern that begins with \`**/\``
      : wrongText(written);
    return wrong === null ? [] : [atValue(context, 'invalid_value', at, wrong)];
  }
  const parts = written.slice('**/'.length).split('/');
  if (!parts.some((part) => ['', '.', '..'].includes(part) || part.includes('**'))) return [];
  const message = `\`${written}\` needs names after \`**/\`, each with single stars or without`;
  return [atValue(context, 'invalid_value', at, message)];
};

const wrongText = (written: string): string | null => {
  if (/^~[^/]/.test(written)) return `\`${written}\` names another home, write the whole path`;
  if (/\p{Cc}/u.test(written)) return 'a path holds no control characters';
  return written.includes('*') ? `\`${written}\` is one folder or file, no pattern` : null;
};
