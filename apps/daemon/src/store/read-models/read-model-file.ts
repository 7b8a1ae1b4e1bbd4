import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { makePrivate } from '../private-file.ts';
import { sqliteCode } from '../store-error.ts';

/** Where a projection stands. */
export interface Checkpoint {
  readonly position: number;
  /** Frozen state of a projection with one state; null for one with rows. */
  readonly state: string | null;
}

/** What a checkpoint must belong to, else the read model is built anew. */
export interface CheckpointOwner {
  readonly name: string;
  readonly version: number;
  /** Of the log. */
  readonly generation: string;
}

/** Raise it when the tables change: older files are thrown away. */
const fileVersion = 1;

/** Opens the file of read models. It holds nothing that the log does not, so a file that cannot be used is made anew. */
export const openReadModelFile = (path: string): Database.Database => {
  try {
    return open(path);
  } catch (error) {
    const code = sqliteCode(error);
    if (code !== 'SQLITE_NOTADB' && code?.startsWith('SQLITE_CORRUPT') !== true) throw error;
    discard(path);
    return open(path);
  }
};

/** The checkpoint of exactly this owner, or null. */
export const readCheckpoint = (db: Database.Database, owner: CheckpointOwner): Checkpoint | null =>
  (db
    .prepare(
      'SELECT position, state FROM checkpoints WHERE name = ? AND version = ? AND generation = ?',
    )
    .get(owner.name, owner.version, owner.generation) as Checkpoint | undefined) ?? null;

export const writeCheckpoint = (
  db: Database.Database,
  owner: CheckpointOwner,
  { position, state }: Checkpoint,
): void => {
  db.prepare('INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?, ?)').run(
    owner.name,
    owner.version,
    owner.generation,
    position,
    state,
  );
};

const open = (path: string): Database.Database => {
  makePrivate(path);
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  // The log is what is durable: after a power cut the last batches are folded again.
  db.pragma('synchronous = NORMAL');
  db.pragma('cache_size = -8000');
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version !== 0 && version !== fileVersion) {
    db.close();
    discard(path);
    return open(path);
  }
  db.exec(
    `CREATE TABLE IF NOT EXISTS checkpoints (
       name TEXT PRIMARY KEY,
       version INTEGER NOT NULL,
       generation TEXT NOT NULL,
       position INTEGER NOT NULL,
       state TEXT
     ) STRICT`,
  );
  db.pragma(`user_version = ${fileVersion}`);
  return db;
};

const discard = (path: string): void => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
};
