import type { Operand } from '@lockstep/engine';
import { normalPath, type AccessMode } from '@lockstep/policy';
import { contentOf, digestOfBytes, holdFileAt } from './file-content.ts';
import { realPathOf, statOf } from './real-path.ts';

export type PathOperand = Extract<Operand, { kind: 'path' }>;

/** What the machine says about one path that a call names. Relative paths start at the root of the workspace. */
export const inspectPath = async (
  root: string,
  given: string,
  access: AccessMode,
): Promise<PathOperand> => {
  const lexical = normalPath(given.startsWith('/') ? given : `${root}/${given}`);
  const real = given.includes('\0') ? null : realPathOf(lexical);
  const stats = real === null ? null : statOf(real);
  const overwritten = access !== 'read' && real !== null && stats?.isFile() === true;
  return {
    kind: 'path',
    access,
    given,
    lexical,
    real,
    exists: stats !== null,
    content: overwritten ? await digestAt(real) : null,
  };
};

/** A path that another program will read in its own way: what it could take for a home folder, an address, an encoded or a quoted
 * path, or a climb over a link has no real path that we could vouch for. */
export const inspectForeignPath = async (
  root: string,
  given: string,
  access: AccessMode,
): Promise<PathOperand> => {
  const seen = await inspectPath(root, given, access);
  const moved = given.split('/').includes('..') && kernelPath(root, given) !== seen.real;
  return readsOtherwise.test(given) || moved ? { ...seen, real: null, content: null } : seen;
};

/** A home folder, a scheme or drive; blanks and quotes at an end, which many servers strip; a backslash or a control character; a
 * dot, slash or backslash in hexadecimal. */
const readsOtherwise =
  /^~|^[a-z][a-z0-9+.-]*:|^[\s'"`]|[\s'"`]$|[\\\p{Cc}\p{Cf}]|%(?:25)*(?:2e|2f|5c|00)/iu;

/** Null when the content cannot be read whole; the tool then refuses to overwrite it. */
const digestAt = async (real: string): Promise<string | null> => {
  try {
    const file = holdFileAt(real);
    try {
      return digestOfBytes(await contentOf(file));
    } finally {
      file.close();
    }
  } catch {
    return null;
  }
};

/** The path as the kernel walks it: each link is followed before the `..` behind it counts. */
const kernelPath = (root: string, given: string): string | null => {
  let at: string | null = given.startsWith('/') ? '/' : realPathOf(root);
  for (const part of given.split('/')) {
    if (at === null) return null;
    if (part === '' || part === '.') continue;
    at = part === '..' ? normalPath(`${at}/..`) : realPathOf(`${at === '/' ? '' : at}/${part}`);
  }
  return at;
};
