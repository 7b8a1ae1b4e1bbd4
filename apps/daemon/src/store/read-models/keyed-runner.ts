import { numberOf, type KeyedProjection, type LockstepEvent } from '@lockstep/engine';
import type Database from 'better-sqlite3';
import { readCheckpoint, writeCheckpoint, type CheckpointOwner } from './read-model-file.ts';
import { rowTable, type RowTable } from './row-table.ts';
import { failureAt, wanted, type ProjectionFailure, type Runner } from './runner.ts';

/** Rows kept in memory between pages; beyond it they are read again. */
const cacheLimit = 1_000;

/** Runs a projection with many rows: only the rows that a page touches are read and written. */
export const keyedRunner = <Row>(
  db: Database.Database,
  projection: KeyedProjection<Row>,
  generation: string,
): Runner => {
  const { name, version } = projection;
  const owner: CheckpointOwner = { name, version, generation };
  const wants = wanted(projection.types);
  const table = rowTable<Row>(db, name);
  const found = readCheckpoint(db, owner);
  if (found === null) table.drop();
  const rows = pageRows(table, projection);
  let position = found?.position ?? 0;
  let savedAt = position;
  let failure: ProjectionFailure | null = null;
  const takeBack = (): void => {
    rows.forget();
    position = savedAt;
  };

  return {
    name,
    get position() {
      return position;
    },
    get failure() {
      return failure;
    },
    fold: (events, upTo) => {
      if (failure !== null) return;
      for (const event of events) {
        if (numberOf(event.position) <= position || !wants(event.type)) continue;
        try {
          rows.fold(event);
        } catch (error) {
          takeBack();
          failure = failureAt(event, error);
          return;
        }
      }
      position = Math.max(position, upTo);
    },
    save: () => {
      if (failure !== null || position === savedAt) return;
      rows.write();
      writeCheckpoint(db, owner, { position, state: null });
    },
    saved: (ok) => {
      if (ok) {
        savedAt = position;
        rows.written();
        return;
      }
      takeBack();
      table.reopen();
    },
  };
};

/** The rows of the present page, and those of the pages before that are still at hand. */
const pageRows = <Row>(table: RowTable<Row>, projection: KeyedProjection<Row>) => {
  const cache = new Map<string, Row | null>();
  const touched = new Set<string>();
  const rowOf = (key: string): Row | null => {
    const known = cache.get(key);
    return known === undefined ? table.get(key) : known;
  };
  return {
    fold: (event: LockstepEvent): void => {
      const key = projection.keyOf(event);
      if (key === null) return;
      const row = projection.fold(rowOf(key), event);
      // Columns are asked for here, so that a failing one is this projection's failure and no one else's.
      if (row !== null) table.expect(projection.columns(row));
      cache.set(key, row);
      touched.add(key);
    },
    write: (): void => {
      for (const key of touched) {
        const row = cache.get(key) ?? null;
        if (row === null) table.delete(key);
        else table.put(key, row, projection.columns(row));
      }
    },
    written: (): void => {
      touched.clear();
      if (cache.size > cacheLimit) cache.clear();
    },
    forget: (): void => {
      cache.clear();
      touched.clear();
    },
  };
};
