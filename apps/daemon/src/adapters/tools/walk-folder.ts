import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { pathVisible, type RootsFact } from '@lockstep/engine';
import type { PolicySnapshot } from '@lockstep/policy';
import { codeOf, holdFolder } from './open-beneath.ts';
import { realPathOf, statOf } from './real-path.ts';
import { ToolFailure } from './tool-failure.ts';

export interface WalkedEntry {
  /** From the folder where the walk began. */
  readonly name: string;
  readonly real: string;
  readonly kind: 'file' | 'folder' | 'other';
}

export interface Walk {
  readonly policy: PolicySnapshot;
  readonly roots: RootsFact;
  readonly signal: AbortSignal;
  readonly recursive: boolean;
}

export interface Walked {
  /** Entries that the policy closes, and so does not name. */
  hidden: number;
  /** The walk stopped at its limit. */
  cut: boolean;
}

const mostEntries = 50_000;
const mostDepth = 64;

/** Entries of a folder in name order, folders before what lies in them. Links are named by what they lead to and never walked
 * into; one that leads out of sight is not named at all. */
export async function* walkFolder(
  real: string,
  walk: Walk,
  seen: Walked,
): AsyncGenerator<WalkedEntry> {
  const open: { readonly real: string; readonly name: string; readonly depth: number }[] = [
    { real, name: '', depth: 0 },
  ];
  let count = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    await new Promise(setImmediate);
    if (walk.signal.aborted) throw new ToolFailure('unavailable', 'the call was cancelled');
    const below: typeof open = [];
    for (const entry of entriesOf(folder.real, folder.depth > 0)) {
      count += 1;
      if (count > mostEntries) {
        seen.cut = true;
        return;
      }
      const found = visible(join(folder.real, entry.name), entry, walk);
      if (found === null) seen.hidden += 1;
      else {
        const name = join(folder.name, entry.name);
        yield { ...found, name };
        const deeper = walk.recursive && entry.isDirectory() && folder.depth < mostDepth;
        if (deeper) below.push({ real: found.real, name, depth: folder.depth + 1 });
      }
    }
    open.push(...below.reverse());
  }
}

const visible = (path: string, entry: Dirent, walk: Walk): Omit<WalkedEntry, 'name'> | null => {
  const real = entry.isSymbolicLink() ? realPathOf(path) : path;
  if (real === null || !pathVisible(walk.policy, walk.roots, path, real)) return null;
  const at = entry.isSymbolicLink() ? statOf(real) : entry;
  const kind = at?.isFile() === true ? 'file' : at?.isDirectory() === true ? 'folder' : 'other';
  return { real, kind };
};

const entriesOf = (real: string, lenient: boolean): readonly Dirent[] => {
  try {
    const folder = holdFolder(real, { make: false });
    try {
      return readdirSync(folder.at('.'), { withFileTypes: true }).sort((a, b) =>
        a.name < b.name ? -1 : 1,
      );
    } finally {
      folder.close();
    }
  } catch (error) {
    // A folder below that went away or may not be read is passed over; the one that was asked for is not.
    if (lenient && codeOf(error) !== '') return [];
    throw error;
  }
};

/** What a list says about what it does not show. */
export const closingNotes = (seen: Walked, shown: boolean): readonly string[] => [
  ...(shown ? [] : ['[nothing]']),
  ...(seen.cut ? ['[cut here; there is more]'] : []),
  ...(seen.hidden > 0 ? [`[${seen.hidden} entries are not shown]`] : []),
];
