import Database from 'better-sqlite3';
import {
  emptyLedger,
  ledgerVersion,
  thawLedger,
  type LedgerChange,
  type LedgerState,
} from '@lockstep/engine';
import { makePrivate } from '../private-file.ts';
import type { AgentStamp, Stamp, StampState } from '../sqlite/stamps.ts';

/** Where one event stands: in our own count, and on the server. */
export interface Place extends Stamp {
  readonly id: string;
  readonly stream: string;
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** What a checkpoint holds beside the places. */
export interface Checkpoint {
  readonly agents: ReadonlyMap<string, AgentStamp>;
  readonly ledger: { readonly full: boolean; readonly rows: readonly LedgerChange[] };
}

const version = '1';
const layout = `
  CREATE TABLE info (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE streams (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE places (
    position INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, stream INTEGER NOT NULL, revision INTEGER NOT NULL,
    committed INTEGER NOT NULL, prepared INTEGER NOT NULL, time INTEGER NOT NULL, agent_seq INTEGER, epoch INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE agents (agent TEXT PRIMARY KEY, seq INTEGER NOT NULL, epoch INTEGER NOT NULL) STRICT;
  CREATE TABLE ledger (
    name TEXT NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (name, key)
  ) STRICT;`;

interface PlaceRow {
  readonly position: bigint;
  readonly id: Buffer;
  readonly stream: string;
  readonly revision: bigint;
  readonly committed: bigint;
  readonly prepared: bigint;
  readonly time: bigint;
  readonly agent_seq: bigint | null;
  readonly epoch: bigint;
}

const select = `SELECT position, id, name AS stream, revision, committed, prepared, time, agent_seq, epoch
  FROM places JOIN streams ON streams.number = places.stream`;

/** A local, disposable copy of where every event stands, with the ledger as it was there. Deleted, it is made again from `$all`. */
export class PlaceIndex {
  readonly #db: Database.Database;
  #sql: ReturnType<typeof prepare>;
  /** Not on disk yet, oldest first. */
  #young: Place[] = [];
  readonly #youngById = new Map<string, Place>();
  readonly #last = new Map<string, number>();

  constructor(path: string, generation: string) {
    makePrivate(path);
    this.#db = new Database(path);
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma('synchronous = NORMAL');
    this.#sql = this.#layOut(generation);
  }

  /** The newest place on disk. */
  get last(): Place | null {
    const row = this.#sql.newest.get() as PlaceRow | undefined;
    return row === undefined ? null : placeOf(row);
  }

  get young(): number {
    return this.#young.length;
  }

  byId(id: string): Place | null {
    const young = this.#youngById.get(id);
    if (young !== undefined) return young;
    const row = this.#sql.byId.get(idBytes(id)) as PlaceRow | undefined;
    return row === undefined ? null : placeOf(row);
  }

  at(position: number): Place | null {
    const first = this.#young[0];
    if (first !== undefined && position >= first.position)
      return this.#young[position - first.position] ?? null;
    const row = this.#sql.at.get(position) as PlaceRow | undefined;
    return row === undefined ? null : placeOf(row);
  }

  /** Revision of the last event of a stream; -1 = none. */
  lastRevision(stream: string): number {
    const known = this.#last.get(stream);
    if (known !== undefined) return known;
    const found = this.#sql.lastRevision.get(stream) as bigint | undefined;
    return found === undefined ? -1 : Number(found);
  }

  add(place: Place): void {
    this.#young.push(place);
    this.#youngById.set(place.id, place);
    this.#last.set(place.stream, place.revision);
  }

  /** The state of the writer's numbers and of the ledger at the newest place. */
  load(): { readonly stamps: StampState; readonly ledger: LedgerState } {
    const last = this.last;
    const agents = new Map<string, AgentStamp>();
    for (const row of this.#db.prepare('SELECT agent, seq, epoch FROM agents').iterate()) {
      const { agent, seq, epoch } = row as AgentStamp & { readonly agent: string };
      agents.set(agent, { seq, epoch });
    }
    const rows = this.#db.prepare('SELECT name AS "table", key, json FROM ledger ORDER BY rowid');
    return {
      stamps: { position: last?.position ?? 0, time: last?.time ?? 0, agents },
      ledger: last === null ? emptyLedger() : thawLedger(rows.iterate() as Iterable<LedgerChange>),
    };
  }

  /** Writes the young places, with what belongs to the newest of them, in one transaction. */
  flush({ agents, ledger }: Checkpoint): void {
    const sql = this.#sql;
    this.#db.transaction(() => {
      for (const place of this.#young) {
        const { position, id, stream, revision, commit, prepare: prepared, time } = place;
        const number = sql.stream.get(stream, revision);
        sql.insert.run(
          ...[position, idBytes(id), number, revision, commit, prepared, time],
          ...[place.agentSeq, place.epoch],
        );
      }
      for (const [agent, { seq, epoch }] of agents) sql.agent.run(agent, seq, epoch);
      if (ledger.full) sql.ledgerClear.run();
      for (const { table, key, json } of ledger.rows)
        if (json === null) sql.ledgerDrop.run(table, key);
        else sql.ledgerPut.run(table, key, json);
    })();
    this.#young = [];
    this.#youngById.clear();
    this.#last.clear();
  }

  /** Forgets everything: it belongs to another log, or to a part of this one that is gone. */
  reset(generation: string): void {
    this.#clear();
    this.#sql = this.#layOut(generation);
  }

  /** Who uses this folder, kept over a reset: it says that a claim on the log is our own. */
  holder(make: () => string): string {
    const known = this.#info('holder');
    if (known !== null) return known;
    const holder = make();
    this.#setInfo('holder', holder);
    return holder;
  }

  close(): void {
    this.#db.close();
  }

  #layOut(generation: string): ReturnType<typeof prepare> {
    const wanted = { version, ledger_version: String(ledgerVersion), generation };
    const has = this.#db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'info'").get();
    if (has === undefined) this.#db.exec(layout);
    const fits = Object.entries(wanted).every(([key, value]) => this.#info(key) === value);
    if (!fits) {
      this.#clear();
      for (const [key, value] of Object.entries(wanted)) this.#setInfo(key, value);
    }
    return prepare(this.#db);
  }

  #clear(): void {
    const holder = this.#info('holder');
    const tables = ['info', 'streams', 'places', 'agents', 'ledger'];
    this.#db.exec(tables.map((table) => `DROP TABLE IF EXISTS ${table};`).join(' ') + layout);
    if (holder !== null) this.#setInfo('holder', holder);
    this.#young = [];
    this.#youngById.clear();
    this.#last.clear();
  }

  #info(key: string): string | null {
    const value = this.#db.prepare('SELECT value FROM info WHERE key = ?').pluck().get(key);
    return typeof value === 'string' ? value : null;
  }

  #setInfo(key: string, value: string): void {
    this.#db.prepare('INSERT OR REPLACE INTO info VALUES (?, ?)').run(key, value);
  }
}

const prepare = (db: Database.Database) => ({
  newest: db.prepare(`${select} ORDER BY position DESC LIMIT 1`).safeIntegers(),
  byId: db.prepare(`${select} WHERE id = ?`).safeIntegers(),
  at: db.prepare(`${select} WHERE position = ?`).safeIntegers(),
  lastRevision: db.prepare('SELECT last FROM streams WHERE name = ?').pluck().safeIntegers(),
  stream: db
    .prepare(
      'INSERT INTO streams (name, last) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET last = excluded.last RETURNING number',
    )
    .pluck(),
  insert: db.prepare('INSERT INTO places VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'),
  agent: db.prepare('INSERT OR REPLACE INTO agents VALUES (?, ?, ?)'),
  ledgerPut: db.prepare('INSERT OR REPLACE INTO ledger (name, key, json) VALUES (?, ?, ?)'),
  ledgerDrop: db.prepare('DELETE FROM ledger WHERE name = ? AND key = ?'),
  ledgerClear: db.prepare('DELETE FROM ledger'),
});

/** 16 bytes instead of 36: the index of ids is most of this file. */
const idBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

const placeOf = (row: PlaceRow): Place => ({
  position: Number(row.position),
  id: row.id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  stream: row.stream,
  revision: Number(row.revision),
  commit: row.committed,
  prepare: row.prepared,
  time: Number(row.time),
  agentSeq: row.agent_seq === null ? null : Number(row.agent_seq),
  epoch: Number(row.epoch),
});
