import { normalPath } from '@lockstep/policy';

/** One spelling for names that a file system which ignores case or composition takes for the same. For denying only. */
export const folded = (path: string): string => path.normalize('NFC').toLowerCase();

/** Whether an absolute path without `.`, `..` and doubled slashes is `parent` or lies below it. */
export const isBelow = (parent: string, path: string): boolean =>
  parent === '/' ||
  (path.startsWith(parent) && (path.length === parent.length || path[parent.length] === '/'));

/** The path from `parent` without a leading slash; only for a path that lies below it. */
export const relativeTo = (parent: string, path: string): string =>
  path.slice(parent === '/' ? 1 : parent.length + 1);

/** A path that can be compared: absolute, free of NUL, `.` and `..` removed by text. Null = it cannot be. */
export const comparable = (path: string): string | null => {
  if (!path.startsWith('/') || path.includes('\0')) return null;
  return needsWork.test(path) ? normalPath(path) : path;
};

/** An empty, `.` or `..` segment; hardly any path has one. */
const needsWork = /\/(?:\.{0,2})(?:\/|$)/;
