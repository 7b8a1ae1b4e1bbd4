import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const mostLinks = 40;

/** The real path of what is there, or of the nearest existing ancestor joined with the rest. A link whose target is missing leads
 * to where the target would be. Null = it cannot be found out (a loop, a folder that may not be searched, a name that is none). */
export const realPathOf = (path: string): string | null => follow(path, 0);

/** What stands at a path itself, links not followed; null when nothing does or it cannot be looked at. */
export const statOf = (path: string): Stats | null => {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
};

const follow = (path: string, links: number): string | null => {
  if (links > mostLinks) return null;
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return null;
  }
  const parent = dirname(path);
  if (parent === path) return null;
  const above = follow(parent, links + 1);
  if (above === null) return null;
  const here = join(above, basename(path));
  try {
    if (!lstatSync(here).isSymbolicLink()) return here;
    return follow(resolve(above, readlinkSync(here)), links + 1);
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? here : null;
  }
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
