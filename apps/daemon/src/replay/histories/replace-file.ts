import { createHash, randomUUID } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Characters of an id that stand in a file's name as they are. */
const longest = 100;

/** The name of a file for a turn. Ids are of our own making; a log from elsewhere may hold others: where something is left out, a
 * digest keeps two ids apart. `~` stands in no name that is an id as it is. */
export const fileNameOf = (turn: string): string => {
  const name = turn.replace(/[^A-Za-z0-9._-]/g, '_');
  if (name === turn && name.length <= longest) return name;
  return `${name.slice(0, longest)}~${createHash('sha256').update(turn).digest('hex').slice(0, 16)}`;
};

/** Writes a file for its owner alone. A file that is there is whole, and one that was put in its way is never written through: the
 * text lies under a name that nobody can guess until it takes its place. */
export const replaceFile = async (
  file: string,
  write: (out: FileHandle) => Promise<unknown>,
): Promise<void> => {
  const draft = join(dirname(file), `.${randomUUID()}.new`);
  const out = await open(draft, 'wx', 0o600);
  try {
    await write(out);
    await out.close();
    await rename(draft, file);
  } catch (error) {
    await out.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
};
