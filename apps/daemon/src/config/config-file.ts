import { randomUUID } from 'node:crypto';
import { watch, type FSWatcher } from 'node:fs';
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Reads the file. Null when it is not there or cannot be read. */
export const readConfigFile = async (file: string): Promise<string | null> => {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return null;
  }
};

/** Replaces the file whole: a reader sees the old text or the new, never a part. Follows a link to the file that it names. */
export const replaceConfigFile = async (file: string, text: string): Promise<void> => {
  const target = await realpath(file).catch(() => file);
  const draft = join(dirname(target), `.${basename(target)}.${randomUUID()}`);
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o644,
  );
  try {
    const handle = await open(draft, 'wx', mode);
    try {
      await handle.writeFile(text, 'utf8');
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, target);
  } catch (thrown) {
    await rm(draft, { force: true });
    throw thrown;
  }
};

/** Calls back some time after the file may have changed. Watches the folder, as editors replace files by renaming; a slow poll
 * catches what a file system does not tell. Answers the way to stop. */
export const watchConfigFile = (
  file: string,
  times: { readonly debounceMs: number; readonly pollMs: number },
  changed: () => void,
): (() => void) => {
  let pending: NodeJS.Timeout | null = null;
  const soon = (): void => {
    if (pending !== null) clearTimeout(pending);
    pending = setTimeout(changed, times.debounceMs).unref();
  };
  let watcher: FSWatcher | null = null;
  try {
    watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(file)) soon();
    });
    watcher.on('error', () => watcher?.close());
  } catch {
    watcher = null;
  }
  let seen: string | null = null;
  const poll = setInterval(() => {
    stat(file).then(
      (found) => {
        const now = `${found.ino} ${found.size} ${found.mtimeMs}`;
        if (seen !== null && seen !== now) soon();
        seen = now;
      },
      () => undefined,
    );
  }, times.pollMs).unref();
  return () => {
    if (pending !== null) clearTimeout(pending);
    clearInterval(poll);
    watcher?.close();
  };
};
