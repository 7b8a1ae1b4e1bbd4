/** Resolves `.`, `..` and repeated slashes of an absolute POSIX path by text alone; `..` stops at `/`. */
export const normalPath = (path: string): string => {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') kept.pop();
    else kept.push(part);
  }
  return `/${kept.join('/')}`;
};

/** The absolute path that config means: `~` and `~/…` start at `home`, other relative paths at `base` (both absolute).
 * Lexical: symbolic links are followed where the file is opened. */
export const absolutePath = (base: string, home: string, given: string): string => {
  if (given === '~') return normalPath(home);
  if (given.startsWith('~/')) return normalPath(`${home}/${given.slice(2)}`);
  return normalPath(given.startsWith('/') ? given : `${base}/${given}`);
};

/** Whether `child` is `parent` or lies below it; both absolute. */
export const isWithin = (parent: string, child: string): boolean => {
  const outer = normalPath(parent);
  const inner = normalPath(child);
  return outer === inner || inner.startsWith(outer === '/' ? '/' : `${outer}/`);
};

/** The path of `child` from `parent` without a leading slash, `''` for the parent itself, null when it lies elsewhere. */
export const pathWithin = (parent: string, child: string): string | null => {
  if (!isWithin(parent, child)) return null;
  return normalPath(child).slice(normalPath(parent).length).replace(/^\//, '');
};
