import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';

const ownerOnly = 0o600;

/** Makes a database file, or takes one as it stands, so that its owner alone may read it and what SQLite lays beside it: it holds
 * what people and agents said. A file of somebody else's stays as it is.
 * INVARIANT: before the database is opened, since closing any descriptor of a file drops the locks that SQLite holds on it. */
export const makePrivate = (path: string): void => {
  if (!existsSync(path)) closeSync(openSync(path, 'a', ownerOnly));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (!existsSync(file)) continue;
    try {
      chmodSync(file, ownerOnly);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error;
    }
  }
};
