import { normalPath, type PolicySnapshot } from '@lockstep/policy';
import type { RootsFact } from '../events/parts.ts';
import { matchesSegments, segmentGlobs, type SegmentGlob } from './below-pattern.ts';
import { folded, isBelow, relativeTo } from './path-text.ts';

type Workspace = PolicySnapshot['workspace'];

/** A folder that is closed, in the folded spelling, and what lies open below it, in the exact one. */
interface ClosedFolder {
  readonly at: string;
  readonly pattern: string;
  readonly open: readonly string[];
}

/** What a workspace forbids, prepared once for many paths. */
export interface DeniedPaths {
  readonly folders: readonly ClosedFolder[];
  /** Patterns with a leading double star, in the folded spelling. */
  readonly patterns: readonly {
    readonly pattern: string;
    readonly globs: readonly SegmentGlob[];
  }[];
  /** Folded roots, lexical and real, below which the patterns hold. */
  readonly roots: readonly string[];
  readonly siblings: readonly {
    readonly at: readonly string[];
    readonly denied: Omit<DeniedPaths, 'siblings'>;
  }[];
}

/** Prepares the forbidden and protected paths of a policy, and the siblings' that come along with their workspaces. `opened`: files that
 * are protected for being identity files alone, and that the agent may change. What closes them for another reason stays. */
export const prepareDenied = (
  workspace: Workspace,
  roots: RootsFact,
  opened: readonly string[] = [],
): DeniedPaths => {
  const kept = workspace.protected.filter((path) => !opened.includes(normalPath(path)));
  const own = [workspace.root, roots.root, ...roots.allowed.flatMap((r) => [r.path, r.real])];
  const siblings = Object.entries(workspace.siblings).map(([alias, sibling]) => {
    const at = foldedRoots([sibling.root, realOf(roots, alias)]);
    const denied = { ...split(sibling.forbidden_paths, roots), roots: at };
    return { at, denied };
  });
  const mine = split(workspace.forbidden_paths, roots);
  return {
    folders: [...kept.flatMap((p) => closed(p, workspace, roots)), ...mine.folders],
    patterns: mine.patterns,
    roots: [...foldedRoots([...own, ...workspace.allowed_roots]), ...siblings.flatMap((s) => s.at)],
    siblings,
  };
};

/** The forbidden or protected pattern that closes a comparable path, or null. */
export const deniedBy = (denied: DeniedPaths, path: string): string | null => {
  const name = folded(path);
  const own = closedBy(denied, path, name);
  if (own !== null) return own;
  for (const sibling of denied.siblings) {
    if (!sibling.at.some((root) => isBelow(root, name))) continue;
    const theirs = closedBy(sibling.denied, path, name);
    if (theirs !== null) return theirs;
  }
  return null;
};

const closedBy = (
  denied: Omit<DeniedPaths, 'siblings'>,
  path: string,
  name: string,
): string | null => {
  for (const folder of denied.folders)
    if (isBelow(folder.at, name) && !folder.open.some((open) => isBelow(open, path)))
      return folder.pattern;
  if (denied.patterns.length === 0) return null;
  const inside = denied.roots.filter((root) => isBelow(root, name));
  // Outside every root the whole path counts, so that an open file system hides the same names.
  const names = inside.length === 0 ? [name.slice(1)] : inside.map((r) => relativeTo(r, name));
  for (const relative of names) {
    const segments = relative.split('/');
    for (const { pattern, globs } of denied.patterns)
      if (matchesSegments(globs, segments)) return pattern;
  }
  return null;
};

const split = (
  forbidden: readonly string[],
  roots: RootsFact,
): Pick<DeniedPaths, 'folders' | 'patterns'> => ({
  folders: forbidden
    .filter((path) => path.startsWith('/'))
    .flatMap((path) =>
      places(path, roots).map((at) => ({ at: folded(at), pattern: path, open: [] })),
    ),
  patterns: forbidden
    .filter((path) => !path.startsWith('/'))
    .map((pattern) => ({ pattern, globs: segmentGlobs(folded(pattern)) })),
});

/** A protected folder; what is excepted below it is open below its real path as well. */
const closed = (path: string, workspace: Workspace, roots: RootsFact): readonly ClosedFolder[] => {
  const plain = normalPath(path);
  const open = workspace.protected_except.map(normalPath).filter((p) => isBelow(plain, p));
  return places(path, roots).map((at) => ({
    at: folded(at),
    pattern: path,
    open: open.map((p) => (p === plain ? at : `${at === '/' ? '' : at}/${relativeTo(plain, p)}`)),
  }));
};

const places = (path: string, roots: RootsFact): readonly string[] => {
  const reals = roots.denied.filter((d) => d.path === path).map((d) => d.real);
  return [path, ...reals].filter((p) => p !== null).map(normalPath);
};

const realOf = (roots: RootsFact, alias: string): string | null =>
  Object.hasOwn(roots.siblings, alias) ? (roots.siblings[alias] ?? null) : null;

const foldedRoots = (paths: readonly (string | null)[]): readonly string[] => [
  ...new Set(paths.filter((p) => p !== null).map((p) => folded(normalPath(p)))),
];
