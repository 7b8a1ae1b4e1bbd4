import type { PolicySnapshot } from '@lockstep/policy';
import type { RootsFact } from '../events/parts.ts';
import { glob } from './matcher.ts';
import { own } from './tool-facts.ts';

type Access = 'read' | 'write' | 'read_write';

/** Where a path lies, as the policy sees it. */
export type Place =
  | { readonly kind: 'forbidden'; readonly by: string }
  | { readonly kind: 'root' }
  | { readonly kind: 'allowed_root'; readonly root: string }
  | { readonly kind: 'sibling'; readonly alias: string; readonly granted: boolean }
  | { readonly kind: 'outside' };

/** A folder or file that no grant opens, but for folders below it. */
interface Closed {
  readonly folder: string;
  readonly except: readonly string[];
}

/** Every root in both spellings: as the policy writes it and as the machine resolved it. */
export interface Roots {
  readonly own: readonly string[];
  readonly allowed: readonly string[];
  readonly siblings: readonly (readonly [alias: string, roots: readonly string[]])[];
  readonly closed: readonly Closed[];
  /** Patterns with a leading double star. */
  readonly patterns: readonly string[];
  /** Only saves work: places found before, by access and path. */
  readonly found: Map<string, Place>;
}

/** Removes empty parts, `.` and `..` by text alone. */
export const tidy = (path: string): string => {
  if (isTidy.test(path)) return path;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
};

const isTidy = /^(?:\/(?!\.{1,2}(?:\/|$))[^/]+)+$/;

/** Whether `path` is `folder` or lies below it; both tidy and absolute. */
export const inside = (folder: string, path: string): boolean =>
  folder === '/' || path === folder || path.startsWith(`${folder}/`);

/** Joins the policy's folders with the real paths that a verdict recorded for them; other folders in the record are ignored. */
export const rootsOf = (policy: PolicySnapshot, facts: RootsFact | null): Roots => {
  const last = facts === null ? undefined : byFacts.get(facts);
  if (last?.policy === policy) return last.roots;
  const roots = sharedRoots(policy, facts);
  if (facts !== null) byFacts.set(facts, { policy, roots });
  return roots;
};

/** Only saves work: every monitor asks for the roots of the same call. */
const byFacts = new WeakMap<
  RootsFact,
  { readonly policy: PolicySnapshot; readonly roots: Roots }
>();

const sharedRoots = (policy: PolicySnapshot, facts: RootsFact | null): Roots => {
  const known = byPolicy.get(policy) ?? new Map<string, Roots>();
  byPolicy.set(policy, known);
  const key = JSON.stringify(facts);
  const found = known.get(key) ?? makeRoots(policy, facts);
  if (known.size < mostKept) known.set(key, found);
  return found;
};

/** Only saves work: calls of one turn, and turns under one policy, mostly share their roots. */
const byPolicy = new WeakMap<PolicySnapshot, Map<string, Roots>>();
const mostKept = 200;

const makeRoots = (policy: PolicySnapshot, facts: RootsFact | null): Roots => {
  const w = policy.workspace;
  const siblings = Object.entries(w.siblings);
  const along = siblings.flatMap(([alias, sibling]) =>
    own(w.access, alias) === undefined ? [] : sibling.forbidden_paths,
  );
  const forbidden = [...w.forbidden_paths, ...along];
  const plain = forbidden.filter((path) => !isPattern(path));
  // An agent that may change its identity files reaches those files, wherever they stand.
  const { files, writable } = policy.context.identity;
  const opened = writable ? files.map(tidy) : [];
  return {
    own: present([w.root, facts?.root ?? null]),
    allowed: present([
      ...[...w.allowed_roots, ...realOf(w.allowed_roots, facts?.allowed ?? [])],
      ...[...opened, ...realOf(opened, facts?.denied ?? [])],
    ]),
    siblings: siblings.map(([alias, sibling]) => [
      alias,
      present([sibling.root, own(facts?.siblings, alias) ?? null]),
    ]),
    closed: [
      ...closedBy(plain, [], facts?.denied ?? []),
      ...closedBy(
        w.protected.filter((path) => !opened.includes(tidy(path))),
        w.protected_except,
        facts?.denied ?? [],
      ),
    ],
    patterns: forbidden.filter(isPattern),
    found: new Map(),
  };
};

/** Where a real path lies. Forbidden wins over every grant; then the own root, extra roots, siblings. */
export const placeOf = (
  policy: PolicySnapshot,
  roots: Roots,
  path: string,
  access: Access,
): Place => {
  const key = `${access} ${path}`;
  const place = roots.found.get(key) ?? findPlace(policy, roots, path, access);
  if (roots.found.size < mostKept) roots.found.set(key, place);
  return place;
};

const findPlace = (policy: PolicySnapshot, roots: Roots, path: string, access: Access): Place => {
  const p = tidy(path);
  const closed = roots.closed.find((entry) => closes(entry, p))?.folder;
  const by = closed ?? roots.patterns.find((pattern) => below(pattern, p));
  // A sibling's folder that no access opens is closed as a whole: what was reached there is the sibling's.
  const closedTo = roots.siblings.find(([, folders]) => by !== undefined && folders.includes(by));
  if (closedTo !== undefined) return { kind: 'sibling', alias: closedTo[0], granted: false };
  if (by !== undefined) return { kind: 'forbidden', by };
  if (roots.own.some((root) => inside(root, p))) return { kind: 'root' };
  const extra = roots.allowed.find((root) => inside(root, p));
  if (extra !== undefined) return { kind: 'allowed_root', root: extra };
  for (const [alias, folders] of roots.siblings)
    if (folders.some((root) => inside(root, p)))
      return {
        kind: 'sibling',
        alias,
        granted: grants(own(policy.workspace.access, alias), access),
      };
  return { kind: 'outside' };
};

/** Whether folding case would make a path a forbidden one: a refusal of it is then no mistake. */
export const forbiddenInAnyCase = (roots: Roots, path: string): boolean => {
  const folded = tidy(path).toLowerCase();
  return (
    roots.closed.some(({ folder, except }) =>
      closes(
        { folder: folder.toLowerCase(), except: except.map((open) => open.toLowerCase()) },
        folded,
      ),
    ) || roots.patterns.some((pattern) => below(pattern.toLowerCase(), folded))
  );
};

const grants = (mode: Access | undefined, wanted: Access): boolean =>
  mode === 'read_write' || (mode !== undefined && mode === wanted);

const isPattern = (path: string): boolean => path.startsWith('**/');

const closes = (entry: Closed, path: string): boolean =>
  inside(entry.folder, path) && !entry.except.some((open) => inside(open, path));

/** Each closed path as written and, where the machine resolves it to another one, as resolved: exceptions move along. */
const closedBy = (
  paths: readonly string[],
  except: readonly string[],
  seen: RootsFact['denied'],
): readonly Closed[] =>
  paths.flatMap((path) => {
    const folder = tidy(path);
    const open = except.map(tidy).filter((entry) => inside(folder, entry));
    const moved = seen.flatMap((fact) => {
      if (fact.path !== path || fact.real === null) return [];
      const real = tidy(fact.real);
      const along = open.map((entry) => tidy(`${real}/${entry.slice(folder.length)}`));
      return [{ folder: real, except: [...open, ...along] }];
    });
    return [{ folder, except: open }, ...moved];
  });

const realOf = (paths: readonly string[], seen: RootsFact['allowed']): readonly (string | null)[] =>
  seen.flatMap((fact) => (paths.includes(fact.path) ? [fact.real] : []));

/** Whether some run of segments of a path fits a pattern that begins with a double star. */
const below = (pattern: string, path: string): boolean => {
  const wanted = pattern.slice('**/'.length).split('/');
  const parts = path.slice(1).split('/');
  for (let at = 0; at + wanted.length <= parts.length; at += 1)
    if (wanted.every((part, i) => glob(part, parts[at + i] ?? ''))) return true;
  return false;
};

const present = (paths: readonly (string | null)[]): readonly string[] => [
  ...new Set(paths.flatMap((path) => (path === null ? [] : [tidy(path)]))),
];
