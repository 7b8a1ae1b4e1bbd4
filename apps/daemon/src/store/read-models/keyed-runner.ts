import {
  numberOf,
  type EventType,
  type KeyedProjection,
  type LockstepEvent,
} from '@lockstep/engine';
import type Database from 'better-sqlite3';
import { readCheckpoint, writeCheckpoint, type CheckpointOwner } from './read-model-file.ts';
import { rowTable } from './row-table.ts';
import { failureAt, type ProjectionFailure, type Runner } from './runner.ts';

/** Rows kept in memory between pages; beyond it they are read again. */
const cacheLimit = 1_000;

/** Runs a projection with many rows: only the rows that a page touches are read and written. */
export const keyedRunner = <Row>(
  db: Database.Database,
  projection: KeyedProjection<Row>,
  generation: string,
): Runner => {
  const owner: CheckpointOwner = {
    name: projection.name,
    version: projection.version,
    generation,
  };
  const types: ReadonlySet<EventType> | null =
    projection.types === 'all' ? null : new Set(projection.types);
  const table = rowTable<Row>(db, projection.name);
  const found = readCheckpoint(db, owner);
  if (found === null) table.drop();
  let position = found?.position ?? 0;
  let savedAt = position;
  let failure: ProjectionFailure | null = null;
  const cache = new Map<string, Row | null>();
  const touched = new Set<string>();

  const rowOf = (key: string): Row | null => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    return table.get(key);
  };
  const foldOne = (event: LockstepEvent): void => {
    const key = projection.keyOf(event);
    if (key === null) return;
    const row = projection.fold(rowOf(key), event);
    // Columns are asked for here, so that a failing one is this projection's failure and no one else's.
    if (row !== null) table.expect(projection.columns(row));
    cache.set(key, row);
    touched.add(key);
  };
  const forget = (): void => {
    cache.clear();
    touched.clear();
    position = savedAt;
  };

  return {
    name: projection.name,
    get position() {
      return position;
    },
    get failure() {
      return failure;
    },
    fold: (events, upTo) => {
      if (failure !== null) return;
      for (const event of events) {
        if (numberOf(event.position) <= position) continue;
        if (types !== null && !types.has(event.type)) continue;
        try {
          foldOne(event);
        } catch (error) {
          forget();
          failure = failureAt(event, error);
          return;
        }
      }
      position = Math.max(position, upTo);
    },
    save: () => {
      if (failure !== null || position === savedAt) return;
      for (const key of touched) {
        const row = cache.get(key) ?? null;
        if (row === null) table.delete(key);
        else table.put(key, row, projection.columns(row));
      }
      writeCheckpoint(db, owner, { position, state: null });
    },
    saved: (ok) => {
      if (!ok) {
        forget();
        table.reopen();
        return;
      }
      savedAt = position;
      touched.clear();
      if (cache.size > cacheLimit) cache.clear();
    },
  };
};
