import { setImmediate as nextTick } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { positionOf } from '@lockstep/engine';

/** Which turns of a log are looked at. */
export interface TurnFilter {
  /** Turns that began then or later, in ms since the epoch. */
  readonly since?: number | undefined;
  readonly agent?: string | undefined;
  readonly path?: string | undefined;
  /** The newest so many of them. */
  readonly limit?: number | undefined;
  /** Agents that may be looked at; absent = all. */
  readonly sees?: ((agent: string) => boolean) | undefined;
}

/** One turn of the log, as its first event says it. */
export interface ListedTurn {
  readonly turn: string;
  readonly agent: string;
  readonly path: string;
  readonly time: number;
  readonly position: string;
}

/** The turns of a log in the order in which they began, without reading what became of them. */
export interface TurnIndex {
  /** Position of the newest event when the index was opened: what comes later is left out. */
  readonly upTo: number;
  count(): Promise<number>;
  /** The turns in groups of this size. */
  groups(size: number): AsyncGenerator<readonly ListedTurn[]>;
}

interface Row {
  readonly position: number;
  readonly stream: string;
  readonly time: number;
  readonly agent: string | null;
  readonly path: string | null;
}

/** Rows per read: the thread is free in between. */
const pageSize = 500;

const columns = `position, stream, time, agent, json_extract(meta, '$.path') AS path`;
// Probes try the policy themselves; nobody asked for them.
const wanted = `type = 'TurnRequested' AND json_extract(meta, '$.probe') IS NULL`;

/** Opens the index over a connection that reads. */
export const turnIndex = (db: Database.Database, filter: TurnFilter): TurnIndex => {
  const upTo = Number(db.prepare('SELECT coalesce(max(position), 0) FROM events').pluck().get());
  const matches = ({ agent, path, time }: Row): boolean =>
    (filter.agent === undefined || agent === filter.agent) &&
    (filter.path === undefined || path === filter.path) &&
    (filter.since === undefined || time >= filter.since) &&
    (filter.sees === undefined || (agent !== null && filter.sees(agent)));
  const up = db.prepare<[number, number]>(
    `SELECT ${columns} FROM events INDEXED BY events_type WHERE ${wanted} AND position > ? AND position <= ? ORDER BY position LIMIT ${pageSize}`,
  );
  const down = db.prepare<[number]>(
    `SELECT ${columns} FROM events INDEXED BY events_type WHERE ${wanted} AND position < ? ORDER BY position DESC LIMIT ${pageSize}`,
  );

  /** The matching turns from the newest back: how many, and where the oldest of them begins. */
  const newest = async (): Promise<{ readonly count: number; readonly first: number }> => {
    let count = 0;
    let first = upTo + 1;
    for (let before = upTo + 1; ;) {
      const rows = down.all(before) as Row[];
      for (const row of rows) {
        // Time never goes back within a log.
        if (filter.since !== undefined && row.time < filter.since) return { count, first };
        if (!matches(row)) continue;
        count += 1;
        first = row.position;
        if (count === filter.limit) return { count, first };
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageSize) return { count, first };
      before = last.position;
      await nextTick();
    }
  };
  let known: ReturnType<typeof newest> | null = null;
  const range = () => (known ??= newest());

  async function* groups(size: number): AsyncGenerator<readonly ListedTurn[]> {
    let group: ListedTurn[] = [];
    for (let after = (await range()).first - 1; ;) {
      const rows = up.all(after, upTo) as Row[];
      for (const row of rows) {
        if (!matches(row)) continue;
        group.push(listed(row));
        if (group.length < size) continue;
        yield group;
        group = [];
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageSize) break;
      after = last.position;
    }
    if (group.length > 0) yield group;
  }
  return { upTo, count: async () => (await range()).count, groups };
};

const listed = ({ position, stream, time, agent, path }: Row): ListedTurn => ({
  turn: stream.slice('turn-'.length),
  agent: agent ?? '',
  path: path ?? '',
  time,
  position: positionOf(position),
});
