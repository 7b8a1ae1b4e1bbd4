import type Database from 'better-sqlite3';
import { numberOf, positionOf, type MemoryScope, type Position } from '@lockstep/engine';
import {
  openReadModelFile,
  readCheckpoint,
  writeCheckpoint,
  type CheckpointOwner,
} from '../../store/read-models/read-model-file.ts';
import { matchWords } from './match-words.ts';

export interface MemoryRow {
  readonly id: string;
  readonly agent: string;
  readonly person: string | null;
  readonly text: string;
  readonly tags: readonly string[];
  readonly backend: MemoryScope['backend'];
  /** Ms since the epoch. */
  readonly stored: number;
  /** Ms since the epoch; null = never. */
  readonly expires: number | null;
}

/** A row of the markdown backend with what is known of its file. */
export interface FileRow extends MemoryRow {
  /** Digest of the file as it should stand there; null = it is to be written. */
  readonly file: string | null;
  /** Digest of a file found in its place that was taken in and may be written over. */
  readonly found: string | null;
}

/** A file whose row was forgotten and that may still stand there. */
export interface GoneFile {
  readonly id: string;
  readonly agent: string;
  readonly file: string;
}

/** One event of memory as the rows need it. */
export type MemoryChange =
  | { readonly kind: 'put'; readonly row: MemoryRow; readonly found: string | null }
  | { readonly kind: 'drop'; readonly id: string };

/** Rows that one look gives at most, "unlimited" included: what is recalled stands in one event. */
export const mostRows = 200;

/** The scope is part of every query by which rows are looked up: whose they are, of which person, of which backend, and not expired. */
const inScope = `r.backend = @backend
  AND r.agent IN (SELECT value FROM json_each(@agents))
  AND (@anyone = 1 OR r.person IS NULL OR r.person = @person)
  AND (r.expires IS NULL OR r.expires > @now)`;

/** Rows of memory as a projection of the memory streams: a disposable SQLite file with an index over the words. */
export class MemoryDb {
  readonly #db: Database.Database;
  readonly #owner: CheckpointOwner;
  readonly #fileDigest: (row: MemoryRow) => string;
  #position: Position | 'start';

  /** @param generation of the log; rows of another log are thrown away
   * @param fileDigest digest of the file that a row of the markdown backend should have */
  constructor(path: string, generation: string, fileDigest: (row: MemoryRow) => string) {
    this.#db = openReadModelFile(path);
    this.#owner = { name: 'memory', version: 1, generation };
    this.#fileDigest = fileDigest;
    const checkpoint = readCheckpoint(this.#db, this.#owner);
    if (checkpoint === null) this.#db.exec(dropTables);
    this.#db.exec(createTables);
    this.#position = checkpoint === null ? 'start' : positionOf(checkpoint.position);
  }

  /** Last position folded. */
  get position(): Position | 'start' {
    return this.#position;
  }

  /** Folds changes in order; what a crash leaves undone is folded again. */
  fold(changes: readonly MemoryChange[], upTo: Position | 'start'): void {
    if (upTo === this.#position) return;
    this.#db
      .transaction(() => {
        for (const change of changes) this.#apply(change);
        if (upTo !== 'start')
          writeCheckpoint(this.#db, this.#owner, { position: numberOf(upTo), state: null });
      })
      .immediate();
    this.#position = upTo;
  }

  /** Rows in scope that hold any word of the text, best first; without a text the newest. */
  search(scope: MemoryScope, text: string | null, at: { limit: number; now: number }): MemoryRow[] {
    const limit = Math.min(at.limit, mostRows);
    const values = { ...scopeValues(scope, at.now), limit };
    if (text === null)
      return this.#rows(
        `SELECT r.* FROM rows r WHERE ${inScope} ORDER BY r.stored DESC, r.id DESC LIMIT @limit`,
        values,
      );
    const words = matchWords(text);
    if (words === null) return [];
    return this.#rows(
      `SELECT r.* FROM words JOIN rows r ON r.n = words.rowid WHERE words MATCH @words AND ${inScope}
       ORDER BY bm25(words), r.stored DESC, r.id DESC LIMIT @limit`,
      { ...values, words },
    );
  }

  /** One row, if it is in scope. */
  find(scope: MemoryScope, id: string, now: number): MemoryRow | null {
    const [row] = this.#rows(`SELECT r.* FROM rows r WHERE r.id = @id AND ${inScope}`, {
      ...scopeValues(scope, now),
      id,
    });
    return row ?? null;
  }

  /** Rows past their time, the oldest first, whoever they are of. */
  expired(now: number, limit: number): MemoryRow[] {
    return this.#rows(
      'SELECT r.* FROM rows r WHERE r.expires <= @now ORDER BY r.expires, r.id LIMIT @limit',
      { now, limit },
    );
  }

  /** Whether there is a row of this id at all: a repeat of the call that stored it. */
  has(id: string): boolean {
    return this.#db.prepare('SELECT 1 FROM rows WHERE id = ?').get(id) !== undefined;
  }

  /** Rows of the markdown backend, of one agent or of all. */
  fileRows(agent: string | null): FileRow[] {
    return this.#all(
      "SELECT * FROM rows r WHERE r.backend = 'markdown' AND (@agent IS NULL OR r.agent = @agent)",
      { agent },
    ).map((raw) => ({ ...rowOf(raw), file: raw.file, found: raw.found }));
  }

  unwritten(): FileRow[] {
    return this.#all("SELECT * FROM rows WHERE backend = 'markdown' AND file IS NULL", {}).map(
      (raw) => ({ ...rowOf(raw), file: raw.file, found: raw.found }),
    );
  }

  written(id: string, file: string): void {
    this.#db.prepare('UPDATE rows SET file = ?, found = NULL WHERE id = ?').run(file, id);
  }

  gone(): GoneFile[] {
    return this.#db.prepare('SELECT id, agent, file FROM gone').all() as GoneFile[];
  }

  removed(id: string): void {
    this.#db.prepare('DELETE FROM gone WHERE id = ?').run(id);
  }

  close(): void {
    this.#db.close();
  }

  #apply(change: MemoryChange): void {
    if (change.kind === 'drop') this.#drop(change.id, true);
    else this.#put(change.row, change.found);
  }

  #put(row: MemoryRow, found: string | null): void {
    const before = this.#raw(row.id);
    this.#drop(row.id, false);
    const { lastInsertRowid } = this.#db
      .prepare(
        'INSERT INTO rows (id, agent, person, text, tags, backend, stored, expires, file, found) VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)',
      )
      .run(
        row.id,
        row.agent,
        row.person,
        row.text,
        JSON.stringify(row.tags),
        row.backend,
        before?.stored ?? row.stored,
        row.expires,
        found,
      );
    this.#db
      .prepare('INSERT INTO words (rowid, text, tags) VALUES (?, ?, ?)')
      .run(lastInsertRowid, row.text, row.tags.join(' '));
    this.#db.prepare('DELETE FROM gone WHERE id = ?').run(row.id);
  }

  #drop(id: string, forgotten: boolean): void {
    const raw = this.#raw(id);
    if (raw === undefined) return;
    this.#db.prepare('DELETE FROM words WHERE rowid = ?').run(raw.n);
    this.#db.prepare('DELETE FROM rows WHERE n = ?').run(raw.n);
    if (forgotten && raw.backend === 'markdown')
      this.#db
        .prepare('INSERT OR REPLACE INTO gone VALUES (?, ?, ?)')
        .run(id, raw.agent, this.#fileDigest(rowOf(raw)));
  }

  #raw(id: string): RawRow | undefined {
    return this.#db.prepare('SELECT * FROM rows WHERE id = ?').get(id) as RawRow | undefined;
  }

  #rows(sql: string, values: Record<string, string | number | null>): MemoryRow[] {
    return this.#all(sql, values).map(rowOf);
  }

  #all(sql: string, values: Record<string, string | number | null>): RawRow[] {
    return this.#db.prepare(sql).all(values) as RawRow[];
  }
}

interface RawRow {
  readonly n: number;
  readonly id: string;
  readonly agent: string;
  readonly person: string | null;
  readonly text: string;
  readonly tags: string;
  readonly backend: MemoryScope['backend'];
  readonly stored: number;
  readonly expires: number | null;
  readonly file: string | null;
  readonly found: string | null;
}

const rowOf = ({ id, agent, person, text, tags, backend, stored, expires }: RawRow): MemoryRow => ({
  id,
  agent,
  person,
  text,
  tags: JSON.parse(tags) as string[],
  backend,
  stored,
  expires,
});

const scopeValues = (scope: MemoryScope, now: number) => ({
  backend: scope.backend,
  agents: JSON.stringify(scope.agents),
  anyone: scope.person.kind === 'anyone' ? 1 : 0,
  person: scope.person.kind === 'anyone' ? null : scope.person.id,
  now,
});

const dropTables =
  'DROP TABLE IF EXISTS rows; DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS gone;';

const createTables = `
  CREATE TABLE IF NOT EXISTS rows (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    person TEXT,
    text TEXT NOT NULL,
    tags TEXT NOT NULL,
    backend TEXT NOT NULL,
    stored INTEGER NOT NULL,
    expires INTEGER,
    file TEXT,
    found TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS rows_by_agent ON rows (agent, stored);
  CREATE INDEX IF NOT EXISTS rows_by_expiry ON rows (expires);
  CREATE TABLE IF NOT EXISTS gone (
    id TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    file TEXT NOT NULL
  ) STRICT;
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    text, tags, tokenize = 'unicode61 remove_diacritics 2'
  );`;
