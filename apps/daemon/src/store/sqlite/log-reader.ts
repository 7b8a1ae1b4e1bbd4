import type Database from 'better-sqlite3';
import type { EventFilter } from '@lockstep/engine';
import type { EventRow } from './event-row.ts';

/** A range of positions: after `after`, up to and with `upTo`. */
export interface ReadRange {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}

export interface RowPage {
  readonly rows: readonly EventRow[];
  /** Last position looked at. */
  readonly next: number;
}

/** How many positions one page looks at where no index leads straight to the matches, so that no read is long. */
const windowSize = 20_000;
/** Up to so many types or streams are read each by its own index entry and merged. */
const mergeLimit = 8;
/** A stream prefix with fewer events than this is read by the stream index and sorted. */
const rareLimit = 2_000;
const lastCharacter = '\u{10ffff}';

/** Reads rows of the log by the index that fits the filter. */
export class LogReader {
  readonly #db: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();

  constructor(db: Database.Database) {
    this.#db = db;
  }

  stream(stream: string, from: number, range: Omit<ReadRange, 'after'>): readonly EventRow[] {
    return this.#all(
      'SELECT * FROM events WHERE stream = ? AND revision >= ? AND position <= ? ORDER BY revision LIMIT ?',
      [stream, from, range.upTo, range.limit],
    );
  }

  page(filter: EventFilter | undefined, range: ReadRange): RowPage {
    const seek = filter === undefined ? null : seekOf(filter);
    if (seek !== null) return settle(this.#merge(seek, range), range, range.upTo);
    const prefix = filter === undefined ? null : lonePrefix(filter);
    if (prefix !== null && this.#isRare(prefix))
      return settle(this.#prefixed(prefix, range), range, range.upTo);
    const upTo = filter === undefined ? range.upTo : Math.min(range.upTo, range.after + windowSize);
    const { where, values } = conditions(filter ?? {});
    const rows = this.#all(
      `SELECT * FROM events NOT INDEXED WHERE position > ? AND position <= ?${where} ORDER BY position LIMIT ?`,
      [range.after, upTo, ...values, range.limit],
    );
    return settle(rows, range, upTo);
  }

  /** Each value by its own index entry, the lowest positions of all together. */
  #merge({ column, values }: Seek, { after, upTo, limit }: ReadRange): readonly EventRow[] {
    if (values.length === 0) return [];
    const one = `SELECT * FROM (SELECT position FROM events WHERE ${column} = ? AND position > ? AND position <= ? ORDER BY position LIMIT ?)`;
    const all = values.map(() => one).join(' UNION ALL ');
    return this.#all(`SELECT * FROM events WHERE position IN (${all}) ORDER BY position LIMIT ?`, [
      ...values.flatMap((value) => [value, after, upTo, limit]),
      limit,
    ]);
  }

  #isRare(prefix: string): boolean {
    const found = this.#all('SELECT 1 FROM events WHERE stream >= ? AND stream < ? LIMIT ?', [
      prefix,
      prefix + lastCharacter,
      rareLimit,
    ]);
    return found.length < rareLimit;
  }

  #prefixed(prefix: string, { after, upTo, limit }: ReadRange): readonly EventRow[] {
    return this.#all(
      'SELECT * FROM events INDEXED BY sqlite_autoindex_events_2 WHERE stream >= ? AND stream < ? AND position > ? AND position <= ? ORDER BY position LIMIT ?',
      [prefix, prefix + lastCharacter, after, upTo, limit],
    );
  }

  #all(sql: string, values: readonly unknown[]): readonly EventRow[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...values) as EventRow[];
  }
}

interface Seek {
  readonly column: 'type' | 'agent' | 'stream';
  readonly values: readonly string[];
}

/** A filter with one condition that an index answers alone. */
const seekOf = ({ types, streams, streamPrefix, agent }: EventFilter): Seek | null => {
  if (streamPrefix !== undefined) return null;
  const given = [types, streams, agent].filter((condition) => condition !== undefined).length;
  if (given !== 1) return null;
  if (agent !== undefined) return { column: 'agent', values: [agent] };
  if (streams !== undefined)
    return streams.length <= mergeLimit
      ? { column: 'stream', values: [...new Set(streams)] }
      : null;
  return types !== undefined && types.length <= mergeLimit
    ? { column: 'type', values: [...new Set(types)] }
    : null;
};

const lonePrefix = ({ types, streams, streamPrefix, agent }: EventFilter): string | null =>
  types === undefined && streams === undefined && agent === undefined
    ? (streamPrefix ?? null)
    : null;

const conditions = ({ types, streams, streamPrefix, agent }: EventFilter) => {
  const where: string[] = [];
  const values: unknown[] = [];
  const oneOf = (column: string, list: readonly string[]): void => {
    where.push(`${column} IN (SELECT value FROM json_each(?))`);
    values.push(JSON.stringify(list));
  };
  if (types !== undefined) oneOf('type', types);
  if (streams !== undefined) oneOf('stream', streams);
  if (streamPrefix !== undefined) {
    where.push('substr(stream, 1, ?) = ?');
    values.push(Array.from(streamPrefix).length, streamPrefix);
  }
  if (agent !== undefined) {
    where.push('agent = ?');
    values.push(agent);
  }
  return { where: where.map((condition) => ` AND ${condition}`).join(''), values };
};

const settle = (rows: readonly EventRow[], range: ReadRange, upTo: number): RowPage => {
  const last = rows.at(-1);
  const full = rows.length >= range.limit && last !== undefined;
  return { rows, next: full ? last.position : Math.max(range.after, upTo) };
};
