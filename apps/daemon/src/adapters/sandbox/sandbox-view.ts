import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathVisible, type RootsFact } from '@lockstep/engine';
import type { PolicySnapshot } from '@lockstep/policy';
import { statOf } from '../tools/real-path.ts';

/** One folder that a confined process sees. */
export interface GrantedFolder {
  readonly path: string;
  /** Where else it must appear: the name that config gives it, when that is a link. */
  readonly alias: string | null;
  readonly write: boolean;
}

export interface SandboxView {
  /** Parents before what lies in them. */
  readonly folders: readonly GrantedFolder[];
  readonly maskedFiles: readonly string[];
  readonly maskedFolders: readonly string[];
}

export type SandboxViewResult =
  | { readonly ok: true; readonly view: SandboxView }
  | { readonly ok: false; readonly message: string };

const mostEntries = 200_000;

/** The folders of a policy, and everything below them that it closes, judged by the gate's own rule for reading. */
export const sandboxView = (policy: PolicySnapshot, roots: RootsFact): SandboxViewResult => {
  const folders = grantedFolders(policy, roots);
  const masks = closedBelow(policy, roots, folders);
  return masks === null
    ? { ok: false, message: `the roots hold more than ${mostEntries} entries, too many to confine` }
    : { ok: true, view: { folders, ...masks } };
};

/** The folders that a policy opens as a whole. A sibling's folder that may only be written stays out: a mount that can be written
 * can be read. */
export const grantedFolders = (
  policy: PolicySnapshot,
  roots: RootsFact,
): readonly GrantedFolder[] => {
  const { workspace } = policy;
  const own = [
    { lexical: workspace.root, real: roots.root },
    ...roots.allowed.map((a) => ({ lexical: a.path, real: a.real })),
  ].map((r) => ({ ...r, write: true }));
  const theirs = Object.entries(workspace.access).flatMap(([alias, mode]) => {
    const lexical = workspace.siblings[alias]?.root;
    if (lexical === undefined || mode === 'write') return [];
    return [{ lexical, real: roots.siblings[alias] ?? null, write: mode === 'read_write' }];
  });
  return [...own, ...theirs]
    .flatMap(({ lexical, real, write }) =>
      real === null ? [] : [{ path: real, alias: lexical === real ? null : lexical, write }],
    )
    .filter((f) => pathVisible(policy, roots, f.path, f.path))
    .sort((a, b) =>
      a.path < b.path ? -1 : a.path > b.path ? 1 : Number(b.write) - Number(a.write),
    );
};

/** Null when there is too much to look at. */
const closedBelow = (
  policy: PolicySnapshot,
  roots: RootsFact,
  folders: readonly GrantedFolder[],
): Pick<SandboxView, 'maskedFiles' | 'maskedFolders'> | null => {
  const maskedFiles: string[] = [];
  const maskedFolders: string[] = [];
  const open = folders.map((f) => f.path).filter((path) => statOf(path)?.isDirectory() === true);
  const seen = new Set<string>();
  let entries = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (seen.has(folder)) continue;
    seen.add(folder);
    for (const entry of entriesOf(folder)) {
      entries += 1;
      if (entries > mostEntries) return null;
      if (entry.isSymbolicLink()) continue;
      const path = join(folder, entry.name);
      if (!pathVisible(policy, roots, path, path))
        (entry.isDirectory() ? maskedFolders : maskedFiles).push(path);
      else if (entry.isDirectory()) open.push(path);
    }
  }
  return { maskedFiles: maskedFiles.sort(), maskedFolders: maskedFolders.sort() };
};

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
};
