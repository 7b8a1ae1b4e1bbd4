import { mkdirSync } from 'node:fs';
import { normalize } from 'node:path';
import type { RootsFact, ToolScope } from '@lockstep/engine';
import { isWithin, normalPath, type PolicySnapshot } from '@lockstep/policy';
import { realPathOf, statOf } from './real-path.ts';

/** What the folders of an agent are looked at by. */
export type RootsScope = Pick<ToolScope, 'policy' | 'narrowings'>;

/** Real paths of everything that a workspace policy names, as they stand now. The agent's own folder is made on first use. */
export const rootsFactOf = ({ policy: { workspace }, narrowings }: RootsScope): RootsFact => {
  makeRoot(workspace.root);
  const forbidden = [
    ...workspace.forbidden_paths,
    ...workspace.protected,
    ...Object.values(workspace.siblings).flatMap((s) => s.forbidden_paths),
  ];
  const plain = [...new Set(forbidden.filter((p) => p.startsWith('/')))].sort();
  return {
    root: ownRoot(workspace, narrowings),
    allowed: workspace.allowed_roots.map((path) => ({ path, real: extraRoot(workspace, path) })),
    siblings: Object.fromEntries(
      Object.entries(workspace.siblings).map(([alias, s]) => [alias, existing(s.root)]),
    ),
    denied: plain
      .map((path) => ({ path, real: realPathOf(path) }))
      .filter((d) => d.real !== null && d.real !== normalize(d.path)),
  };
};

const makeRoot = (root: string): void => {
  if (statOf(root) !== null) return;
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
  } catch {
    // A folder that cannot be made has no real path, and so every path in it is refused.
  }
};

/** Config may name a folder by a link. One that a client named was judged by its real path, inside what the agent may write: a link in its
 * place was put there since, and leads wherever the agent likes. */
const ownRoot = (
  { root }: PolicySnapshot['workspace'],
  narrowings: RootsScope['narrowings'],
): string | null => {
  const real = existing(root);
  const isNamed = narrowings.some(
    ({ whose, values }) =>
      values !== 'none' && !whose.startsWith('ceiling:') && isSame(values['workspace.root'], root),
  );
  return isNamed && real !== normalPath(root) ? null : real;
};

/** A further folder that stands inside one the agent may write can be exchanged by it: a link there leads nowhere else. */
const extraRoot = (
  { root, allowed_roots: extra }: PolicySnapshot['workspace'],
  path: string,
): string | null => {
  const real = existing(path);
  const around = [root, ...extra].filter((one) => !isSame(one, path) && isWithin(one, path));
  const leadsOut = around.some((outer) => {
    const there = existing(outer);
    return real !== null && (there === null || !isWithin(there, real));
  });
  return leadsOut ? null : real;
};

const isSame = (value: unknown, root: string): boolean =>
  typeof value === 'string' && normalPath(value) === normalPath(root);

const existing = (path: string): string | null => {
  const real = realPathOf(path);
  return real !== null && statOf(real) !== null ? real : null;
};
