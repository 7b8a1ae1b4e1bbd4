import { mkdirSync } from 'node:fs';
import { normalize } from 'node:path';
import type { RootsFact } from '@lockstep/engine';
import type { PolicySnapshot } from '@lockstep/policy';
import { realPathOf, statOf } from './real-path.ts';

/** Real paths of everything that a workspace policy names, as they stand now. The agent's own folder is made on first use. */
export const rootsFactOf = (workspace: PolicySnapshot['workspace']): RootsFact => {
  makeRoot(workspace.root);
  const forbidden = [
    ...workspace.forbidden_paths,
    ...workspace.protected,
    ...Object.values(workspace.siblings).flatMap((s) => s.forbidden_paths),
  ];
  const plain = [...new Set(forbidden.filter((p) => p.startsWith('/')))].sort();
  return {
    root: existing(workspace.root),
    allowed: workspace.allowed_roots.map((path) => ({ path, real: existing(path) })),
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

const existing = (path: string): string | null => {
  const real = realPathOf(path);
  return real !== null && statOf(real) !== null ? real : null;
};
