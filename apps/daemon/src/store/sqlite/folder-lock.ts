import { hostname } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { sqliteCode, StoreError, storeError } from '../store-error.ts';

/** Held for as long as the daemon owns its data folder. */
export interface FolderLock {
  release(): void;
}

/** Takes the data folder for this process. The lock is the kernel's, so it ends with the process, however that dies; the row
 * beside it only says who holds it.
 * @throws StoreError `store_in_use` with the holder */
export const lockFolder = (folder: string, now: number): FolderLock => {
  const path = join(folder, 'daemon.lock');
  const me = JSON.stringify({ pid: process.pid, host: hostname(), since: now });
  let db: Database.Database | null = null;
  try {
    db = new Database(path, { timeout: 0 });
    hold(db, me);
    const held = db;
    return {
      release: () => {
        held.close();
      },
    };
  } catch (error) {
    const busy = sqliteCode(error)?.startsWith('SQLITE_BUSY') === true;
    const holder = busy && db !== null ? readHolder(db) : '';
    db?.close();
    if (!busy) throw storeError(error, path);
    throw new StoreError(
      'store_in_use',
      `the data folder \`${folder}\` is in use by ${holder}, stop that daemon or choose another folder`,
      { cause: error },
    );
  }
};

/** The reserved lock keeps other writers out and lets them read who is here. Between writing the row and taking the lock
 * another process may slip in; then it wins, or the row is written again. */
const hold = (db: Database.Database, me: string): void => {
  const write = db.transaction(() => {
    db.exec('CREATE TABLE IF NOT EXISTS holder (one INTEGER PRIMARY KEY, who TEXT NOT NULL)');
    db.prepare('INSERT OR REPLACE INTO holder VALUES (1, ?)').run(me);
  });
  for (;;) {
    write.immediate();
    db.exec('BEGIN IMMEDIATE');
    if (db.prepare('SELECT who FROM holder').pluck().get() === me) return;
    db.exec('ROLLBACK');
  }
};

const readHolder = (db: Database.Database): string => {
  try {
    const who = JSON.parse(String(db.prepare('SELECT who FROM holder').pluck().get())) as {
      pid: number;
      host: string;
      since: number;
    };
    return `process ${who.pid} on \`${who.host}\` since ${new Date(who.since).toISOString()}`;
  } catch {
    return 'another process';
  }
};
