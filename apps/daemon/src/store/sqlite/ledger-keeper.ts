import {
  emptyLedger,
  foldLedger,
  freezeLedger,
  keepChanges,
  ledgerOf,
  ledgerTypes,
  ledgerVersion,
  letGo,
  takeChanges,
  thawLedger,
  type Ledger,
  type LedgerChange,
  type LedgerState,
  type LockstepEvent,
  type StoredRows,
} from '@lockstep/engine';
import type Database from 'better-sqlite3';
import { eventOfRow, type EventRow } from './event-row.ts';
import { readInfo } from './log-schema.ts';
import type { WireCheckpoint } from './wire.ts';

/** Folded but not checkpointed events that make a checkpoint due at once, and after a pause. */
const dueAt = 20_000;
const dueWhenIdleAt = 1_000;
const idleMs = 1_000;
/** Rows of each table that grows with the turns which stay in memory once they are written. */
const rowsAtHand = 2_000;

/** The ledger in memory, and its copy in the log's own file. */
export interface LedgerKeeper {
  readonly ledger: Ledger;
  fold(event: LockstepEvent): void;
  /** To be called after each acknowledged group: checkpoints when enough has gathered. */
  acknowledged(position: number): void;
  /** Writes what is not written yet. */
  flush(): Promise<void>;
}

/** `save` writes a checkpoint and answers whether it is on disk. */
export const ledgerKeeper = (
  db: Database.Database,
  upTo: number,
  save: (checkpoint: WireCheckpoint) => Promise<boolean>,
): LedgerKeeper => {
  const { state, position } = loadLedger(db, upTo);
  let saved = position;
  let head = upTo;
  let saving: Promise<void> | null = null;
  const stored = storedRows(db);
  let isFirst = position === 0;
  if (!isFirst) letGo(state, stored, rowsAtHand);
  let timer: NodeJS.Timeout | null = null;

  const checkpoint = async (): Promise<void> => {
    const at = head;
    const changes = takeChanges(state);
    // Before the first one nothing lies on disk, or what an older version wrote.
    const full = isFirst;
    const rows = full ? freezeLedger(state) : changes;
    if (!(await save({ position: at, version: ledgerVersion, full, rows }))) {
      keepChanges(state, changes);
      return;
    }
    isFirst = false;
    saved = at;
    letGo(state, stored, rowsAtHand);
  };
  const start = (): Promise<void> => {
    saving ??= checkpoint().finally(() => {
      saving = null;
    });
    return saving;
  };

  return {
    ledger: ledgerOf(state),
    fold: (event) => {
      foldLedger(state, event);
    },
    acknowledged: (position) => {
      head = position;
      if (head - saved >= dueAt) void start();
      else if (head - saved >= dueWhenIdleAt) {
        timer ??= setTimeout(() => void start(), idleMs).unref();
        timer.refresh();
      }
    },
    flush: async () => {
      if (timer !== null) clearTimeout(timer);
      await saving;
      if (head > saved) await start();
    },
  };
};

/** Rows of the last checkpoint, read when they are asked for. */
const storedRows = (db: Database.Database): StoredRows => {
  const one = db.prepare('SELECT json FROM ledger WHERE name = ? AND key = ?').pluck();
  const all = db.prepare('SELECT key, json FROM ledger WHERE name = ? ORDER BY rowid');
  return {
    get: (table, key) => {
      const json = one.get(table, key);
      return typeof json === 'string' ? json : null;
    },
    all: (table) => all.all(table) as { readonly key: string; readonly json: string }[],
  };
};

/** The checkpoint of this version, and the tail after it. */
const loadLedger = (
  db: Database.Database,
  upTo: number,
): { readonly state: LedgerState; readonly position: number } => {
  const usable = readInfo(db, 'ledger_version') === String(ledgerVersion);
  const position = usable ? Number(readInfo(db, 'ledger_position') ?? 0) : 0;
  const rows = db.prepare('SELECT name AS "table", key, json FROM ledger ORDER BY rowid');
  const state =
    position === 0 ? emptyLedger() : thawLedger(rows.iterate() as Iterable<LedgerChange>);
  const tail = db.prepare(
    'SELECT * FROM events NOT INDEXED WHERE position > ? AND position <= ? AND type IN (SELECT value FROM json_each(?)) ORDER BY position',
  );
  for (const row of tail.iterate(position, upTo, JSON.stringify(ledgerTypes)))
    foldLedger(state, eventOfRow(row as EventRow));
  return { state, position };
};
