import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, EventStore, Ledger } from '@lockstep/engine';
import { storeError } from '../store-error.ts';
import { lockFolder } from './folder-lock.ts';
import { ledgerKeeper } from './ledger-keeper.ts';
import { openLogForReading } from './log-schema.ts';
import { sqliteEventStore } from './sqlite-event-store.ts';
import { startWriter } from './writer-thread.ts';

/** The log of one data folder, opened by its one writer. */
export interface SqliteLog {
  readonly store: EventStore;
  readonly ledger: Ledger;
}

/** Path of the event log in a data folder. */
export const logPath = (folder: string): string => join(folder, 'log.db');

/** Locks the data folder, opens its log (made or migrated where needed) and folds the ledger. `store.close()` gives all back.
 * @throws StoreError when the folder is in use, not writable, damaged or written by a newer version */
export const openSqliteLog = async (options: {
  readonly folder: string;
  readonly clock: Clock;
}): Promise<SqliteLog> => {
  const path = logPath(options.folder);
  makeFolder(options.folder);
  const lock = lockFolder(options.folder, options.clock.now());
  try {
    const writer = await startWriter(path);
    try {
      const db = openLogForReading(path);
      const keeper = ledgerKeeper(db, writer.position, async (checkpoint) => {
        const reply = await writer.request({ kind: 'checkpoint', checkpoint });
        return reply?.kind === 'checkpointed' && reply.ok;
      });
      const store = sqliteEventStore({ db, path, writer, keeper, clock: options.clock, lock });
      return { store, ledger: keeper.ledger };
    } catch (error) {
      await writer.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw storeError(error, path);
  }
};

const makeFolder = (folder: string): void => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw storeError(error, folder);
  }
};
