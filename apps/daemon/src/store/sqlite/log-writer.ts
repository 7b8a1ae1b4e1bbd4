import type Database from 'better-sqlite3';
import { sqliteCode } from '../store-error.ts';
import { applyStamps, stampBatch, type AgentStamp, type StampState } from './stamps.ts';
import type { WireAppend, WireCheckpoint, WireResult } from './wire.ts';

/** The one writer of a log. Lives in its own thread; knows no event types, only rows. */
export class LogWriter {
  readonly #db: Database.Database;
  readonly #sql: ReturnType<typeof prepare>;
  readonly #state: StampState;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#sql = prepare(db);
    this.#state = readStamps(db);
  }

  get position(): number {
    return this.#state.position;
  }

  /** One transaction, one fsync: each append a savepoint, all of them durable when this returns, or none. */
  commit(appends: readonly WireAppend[]): readonly WireResult[] {
    const undo: (() => void)[] = [];
    try {
      this.#sql.begin.run();
      const results = appends.map((append) => this.#append(append, undo));
      this.#sql.commit.run();
      return results;
    } catch (error) {
      const code = sqliteCode(error);
      if (this.#db.inTransaction) this.#sql.rollback.run();
      for (const back of undo.reverse()) back();
      if (code === null) throw error;
      return appends.map(() => ({ kind: 'unavailable', code }));
    }
  }

  /** Writes the ledger's changed rows with the position they belong to. False when the disk refuses. */
  checkpoint({ position, version, full, rows }: WireCheckpoint): boolean {
    const { ledgerPut, ledgerDrop, ledgerClear, infoPut } = this.#sql;
    try {
      this.#db
        .transaction(() => {
          if (full) ledgerClear.run();
          for (const { table, key, json } of rows)
            if (json === null) ledgerDrop.run(table, key);
            else ledgerPut.run(table, key, json);
          infoPut.run('ledger_position', String(position));
          infoPut.run('ledger_version', String(version));
        })
        .immediate();
      return true;
    } catch (error) {
      if (sqliteCode(error) === null) throw error;
      return false;
    }
  }

  close(): void {
    this.#db.close();
  }

  #append(append: WireAppend, undo: (() => void)[]): WireResult {
    const actual = Number(this.#sql.revision.get(append.stream) ?? -1);
    if (actual !== append.expected) return this.#repeatOr(append, actual);
    const batch = stampBatch(this.#state, append.events, {
      firstRevision: actual + 1,
      now: append.now,
    });
    this.#sql.savepoint.run();
    try {
      for (const [i, event] of append.events.entries()) {
        const stamp = batch.stamps[i];
        if (stamp === undefined) continue;
        const { position, revision, time, agentSeq, epoch } = stamp;
        const { id, type, schema, agent, data, meta } = event;
        this.#sql.insert.run(
          ...[position, id, append.stream, revision, type, schema],
          ...[time, agent, agentSeq, epoch, data, meta],
        );
      }
    } catch (error) {
      // A known id shows only here, so that the usual append pays for no look-up.
      if (sqliteCode(error) !== 'SQLITE_CONSTRAINT_UNIQUE') throw error;
      this.#sql.rollbackTo.run();
      this.#sql.release.run();
      return this.#repeatOr(append, actual);
    }
    this.#sql.release.run();
    undo.push(applyStamps(this.#state, batch));
    return { kind: 'written', stamps: batch.stamps };
  }

  #repeatOr({ stream, events }: WireAppend, actual: number): WireResult {
    const known = events.map(({ id }) => this.#sql.byId.get(id) as KnownRow | undefined);
    const first = known[0];
    const whole =
      first !== undefined &&
      known.every((row, i) => row?.stream === stream && row.revision === first.revision + i);
    return whole ? { kind: 'repeat', firstRevision: first.revision } : { kind: 'conflict', actual };
  }
}

interface KnownRow {
  readonly stream: string;
  readonly revision: number;
}

const prepare = (db: Database.Database) => ({
  begin: db.prepare('BEGIN IMMEDIATE'),
  commit: db.prepare('COMMIT'),
  rollback: db.prepare('ROLLBACK'),
  savepoint: db.prepare('SAVEPOINT one'),
  rollbackTo: db.prepare('ROLLBACK TO one'),
  release: db.prepare('RELEASE one'),
  insert: db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
  revision: db
    .prepare('SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1')
    .pluck(),
  byId: db.prepare('SELECT stream, revision FROM events WHERE id = ?'),
  ledgerPut: db.prepare('INSERT OR REPLACE INTO ledger (name, key, json) VALUES (?, ?, ?)'),
  ledgerDrop: db.prepare('DELETE FROM ledger WHERE name = ? AND key = ?'),
  ledgerClear: db.prepare('DELETE FROM ledger'),
  infoPut: db.prepare('INSERT OR REPLACE INTO log_info VALUES (?, ?)'),
});

/** Continues where the log ends: the last row of each agent is found by its index, not by a scan. */
const readStamps = (db: Database.Database): StampState => {
  const last = db.prepare('SELECT position, time FROM events ORDER BY position DESC LIMIT 1').get();
  const { position, time } = (last ?? { position: 0, time: 0 }) as {
    position: number;
    time: number;
  };
  const agents = new Map<string, AgentStamp>();
  const next = db.prepare('SELECT min(agent) FROM events WHERE agent > ?').pluck();
  const newest = db.prepare(
    'SELECT agent_seq AS seq, epoch FROM events WHERE agent = ? ORDER BY position DESC LIMIT 1',
  );
  for (let agent = next.get(''); typeof agent === 'string'; agent = next.get(agent))
    agents.set(agent, newest.get(agent) as AgentStamp);
  return { position, time, agents };
};
