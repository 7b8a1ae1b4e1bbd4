import type Database from 'better-sqlite3';
import type { LockstepEvent, RecordingSource } from '@lockstep/engine';
import { readRow } from '../../store/sqlite/event-row.ts';
import { LogReader } from '../../store/sqlite/log-reader.ts';

/** A row of the log that is no event. */
export class DamagedRowError extends Error {
  readonly where: string;

  constructor(where: string, why: string) {
    super(why);
    this.where = where;
  }
}

/** Streams of a log, looked up when they are asked for. */
export interface LogSource {
  /** What some turns may look up. What was read for them is kept until they are done with. */
  forTurns(turns: readonly string[]): RecordingSource & { readonly kept: () => number };
}

const unlimited = 1_000_000_000;

/** Streams over a connection that reads, up to a position. */
export const logSource = (db: Database.Database, upTo: number): LogSource => {
  const reader = new LogReader(db);
  const read = (stream: string): readonly LockstepEvent[] =>
    reader.stream(stream, 0, { upTo, limit: unlimited }).map((row) => {
      const found = readRow(row);
      if (found.ok) return found.event;
      throw new DamagedRowError(`${stream}@${row.revision}`, found.why);
    });
  // It grows with the changes of config and not with the turns, and every group of turns cites it.
  let config: readonly LockstepEvent[] | null = null;
  return {
    forTurns: (turns) => {
      const known = new Map<string, readonly LockstepEvent[]>();
      const stream = (name: string): readonly LockstepEvent[] => {
        if (name === 'config') return (config ??= read(name));
        const found = known.get(name);
        if (found !== undefined) return found;
        const events = read(name);
        known.set(name, events);
        return events;
      };
      return { turns, stream, kept: () => known.size };
    },
  };
};
