import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import { makePrivate } from '../private-file.ts';
import { StoreError } from '../store-error.ts';

/** `LKST`: says that a database file is an event log of ours. */
const applicationId = 0x4c4b5354;

/** One step per version; a released step is never edited. */
const migrations: readonly string[] = [
  `CREATE TABLE events (
     position INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     stream TEXT NOT NULL,
     revision INTEGER NOT NULL,
     type TEXT NOT NULL,
     schema INTEGER NOT NULL,
     time INTEGER NOT NULL,
     agent TEXT,
     agent_seq INTEGER,
     epoch INTEGER NOT NULL,
     data TEXT NOT NULL,
     meta TEXT NOT NULL,
     UNIQUE (stream, revision)
   ) STRICT;
   CREATE INDEX events_type ON events (type);
   CREATE INDEX events_agent ON events (agent) WHERE agent IS NOT NULL;
   CREATE TRIGGER events_no_update BEFORE UPDATE ON events
     BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
   CREATE TRIGGER events_no_delete BEFORE DELETE ON events
     BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
   CREATE TABLE log_info (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
   CREATE TABLE ledger (
     name TEXT NOT NULL,
     key TEXT NOT NULL,
     json TEXT NOT NULL,
     PRIMARY KEY (name, key)
   ) STRICT;`,
];

/** Schema version that this build writes. */
export const logSchemaVersion = migrations.length;

/** Opens the log for its one writer, making or migrating it where needed.
 * @throws StoreError or SQLite's own error */
export const openLogForWriting = (path: string): Database.Database => {
  refuseTorn(path);
  makePrivate(path);
  const db = new Database(path);
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('wal_autocheckpoint = 400');
    db.pragma('cache_size = -8000');
    migrate(db, path);
    db.pragma('wal_checkpoint(TRUNCATE)');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

/** Opens the log for reading only; the writer may be at work beside it. */
export const openLogForReading = (path: string): Database.Database => {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    db.pragma('cache_size = -8000');
    refuseForeign(db, path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

/** One value of the log's own notes. */
export const readInfo = (db: Database.Database, key: string): string | null => {
  const value = db.prepare('SELECT value FROM log_info WHERE key = ?').pluck().get(key);
  return typeof value === 'string' ? value : null;
};

const migrate = (db: Database.Database, path: string): void => {
  const version = Number(db.pragma('user_version', { simple: true }));
  const empty = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
  if (version !== 0 || !empty) refuseForeign(db, path);
  if (version === logSchemaVersion) return;
  db.transaction(() => {
    for (const step of migrations.slice(version)) db.exec(step);
    db.pragma(`application_id = ${applicationId}`);
    db.pragma(`user_version = ${logSchemaVersion}`);
    db.prepare('INSERT OR IGNORE INTO log_info VALUES (?, ?)').run('generation', randomUUID());
  }).immediate();
};

const refuseForeign = (db: Database.Database, path: string): void => {
  if (Number(db.pragma('application_id', { simple: true })) !== applicationId)
    throw new StoreError(
      'store_not_a_log',
      `\`${path}\` is a database of another program, choose another data folder`,
    );
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > logSchemaVersion)
    throw new StoreError(
      'store_newer',
      `\`${path}\` was written by a newer version (log schema ${version}, this one reads up to ${logSchemaVersion}), update lockstep`,
    );
};

/** SQLite misses the pages of a file that was cut short only when it needs one; the header says how many there were. After a crash
 * the write-ahead log completes the file, so then nothing is said here.
 * INVARIANT: before the database is opened, since closing any descriptor of a file drops the locks that SQLite holds on it. */
const refuseTorn = (path: string): void => {
  if (!existsSync(path) || existsSync(`${path}-wal`)) return;
  const { size, pages, pageSize } = readHeader(path);
  if (size >= headerBytes && size < pages * pageSize)
    throw new StoreError(
      'store_damaged',
      `\`${path}\` has ${size} bytes where its header says ${pages * pageSize}, restore a backup`,
    );
};

const headerBytes = 100;

const readHeader = (path: string) => {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(headerBytes);
    readSync(file, header, 0, headerBytes, 0);
    const isDatabase = header.toString('latin1', 0, 15) === 'SQLite format 3';
    return {
      size: fstatSync(file).size,
      pages: isDatabase ? header.readUInt32BE(28) : 0,
      // 1 stands for 65536, which does not fit.
      pageSize: header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16),
    };
  } finally {
    closeSync(file);
  }
};
