import { existsSync } from 'node:fs';
import { positionOf, type EventFilter, type LockstepEvent, type Position } from '@lockstep/engine';
import { liesElsewhere } from '../../store/lies-elsewhere.ts';
import { eventOfRow } from '../../store/sqlite/event-row.ts';
import { LogReader } from '../../store/sqlite/log-reader.ts';
import { openLogForReading } from '../../store/sqlite/log-schema.ts';
import { logPath } from '../../store/sqlite/sqlite-log.ts';
import { StoreError, storeError } from '../../store/store-error.ts';

/** The log of a data folder as it stands, for reading. A daemon may be at work on it. */
export interface RecordedLog {
  /** The last event that is seen here. */
  readonly head: Position | 'start';
  readStream(stream: string): Promise<readonly LockstepEvent[]>;
  /** Events in log order, page by page, up to `head`. */
  pages(filter?: EventFilter): AsyncIterable<readonly LockstepEvent[]>;
  close(): void;
}

const rowsPerPage = 1_000;
const unlimited = 1_000_000_000;

/** @throws StoreError when there is no log, or it is none that this build reads */
export const openRecordedLog = (folder: string): RecordedLog => {
  const path = logPath(folder);
  const elsewhere = liesElsewhere(path);
  if (elsewhere !== null) throw new StoreError('store_not_a_log', elsewhere);
  if (!existsSync(path))
    throw new StoreError(
      'store_unavailable',
      `there is no log at \`${path}\`, name its folder with \`--data\``,
    );
  const db = opened(path);
  const reader = new LogReader(db);
  const upTo = Number(db.prepare('SELECT max(position) FROM events').pluck().get() ?? 0);
  return {
    head: upTo === 0 ? 'start' : positionOf(upTo),
    readStream: (stream) =>
      Promise.resolve(reader.stream(stream, 0, { upTo, limit: unlimited }).map(eventOfRow)),
    pages: async function* (filter) {
      for (let after = 0; after < upTo;) {
        const page = reader.page(filter, { after, upTo, limit: rowsPerPage });
        yield page.rows.map(eventOfRow);
        after = page.next;
        // A long log must not keep the process from all else.
        await new Promise(setImmediate);
      }
    },
    close: () => {
      db.close();
    },
  };
};

const opened = (path: string): ReturnType<typeof openLogForReading> => {
  try {
    return openLogForReading(path);
  } catch (error) {
    throw storeError(error, path);
  }
};
