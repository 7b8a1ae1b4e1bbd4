import type Database from 'better-sqlite3';
import { cursorOf, readCursor } from './row-cursor.ts';

export type ColumnValue = string | number | null;
export type Columns = Readonly<Record<string, ColumnValue>>;

/** Which rows, in which order. Conditions are joined by *and*; a list means one of its values. */
export interface RowQuery {
  readonly where?: Readonly<Record<string, ColumnValue | readonly ColumnValue[]>>;
  readonly orderBy: string;
  readonly direction: 'ascending' | 'descending';
  readonly limit: number;
  /** From the page before; null = from the first row. */
  readonly cursor: string | null;
}

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** Null: there are no more rows. */
  readonly next: string | null;
}

/** The rows of one projection: JSON with a few columns to filter and sort by, each indexed. */
export interface RowTable<Row> {
  get(key: string): Row | null;
  put(key: string, row: Row, columns: Columns): void;
  delete(key: string): void;
  /** Makes the table from the first row's columns.
   * @throws TypeError when a row has other columns than the first */
  expect(columns: Columns): void;
  list(query: RowQuery): RowPage<Row>;
  /** The first row has been written. */
  exists(): boolean;
  drop(): void;
  /** Looks at the database again, after a transaction was taken back. */
  reopen(): void;
}

/** A column that no row of the projection has. */
export class UnknownColumnError extends Error {
  readonly code = 'unknown_column';
}

export const rowTable = <Row>(db: Database.Database, name: string): RowTable<Row> => {
  if (!/^[a-z][a-z0-9-]*$/.test(name))
    throw new TypeError(`\`${name}\` is no name for a projection, use small letters and hyphens`);
  const table = `"rows-${name}"`;
  let wanted: readonly string[] | null = null;
  let made = readColumns(db, name);
  let sql = made === null ? null : statements(db, table, made);
  wanted = made;

  const make = (): NonNullable<typeof sql> => {
    if (sql !== null) return sql;
    made = wanted ?? [];
    createTable(db, name, made);
    sql = statements(db, table, made);
    return sql;
  };

  return {
    get: (key) => {
      const json = sql?.get.get(key);
      return typeof json === 'string' ? (JSON.parse(json) as Row) : null;
    },
    put: (key, row, columns) => {
      const { put } = make();
      put.run(key, JSON.stringify(row), ...(made ?? []).map((column) => columns[column] ?? null));
    },
    delete: (key) => {
      sql?.delete.run(key);
    },
    expect: (columns) => {
      const names = Object.keys(columns).sort();
      wanted ??= names;
      if (names.join() !== wanted.join())
        throw new TypeError(
          `columns are \`${names.join()}\`, the first row has \`${wanted.join()}\``,
        );
      if (!names.every((column) => /^[a-zA-Z]\w*$/.test(column)))
        throw new TypeError(`\`${names.join()}\` holds a name that is none for a column`);
    },
    list: (query) => (made === null ? { rows: [], next: null } : list(db, table, made, query)),
    exists: () => made !== null,
    drop: () => {
      db.exec(`DROP TABLE IF EXISTS ${table}`);
      made = sql = wanted = null;
    },
    reopen: () => {
      made = readColumns(db, name);
      wanted = made;
      sql = made === null ? null : statements(db, table, made);
    },
  };
};

const readColumns = (db: Database.Database, name: string): readonly string[] | null => {
  const names = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(`rows-${name}`);
  if (names.length === 0) return null;
  return names.map(String).filter((column) => !['_key', '_json'].includes(column));
};

const createTable = (db: Database.Database, name: string, columns: readonly string[]): void => {
  const list = columns.map((column) => `, "${column}"`).join('');
  db.exec(`CREATE TABLE "rows-${name}" (_key TEXT PRIMARY KEY, _json TEXT NOT NULL${list})`);
  for (const column of columns)
    db.exec(
      `CREATE INDEX "rows-${name}-${column}" ON "rows-${name}" (ifnull("${column}", ''), _key)`,
    );
};

const statements = (db: Database.Database, table: string, columns: readonly string[]) => ({
  get: db.prepare(`SELECT _json FROM ${table} WHERE _key = ?`).pluck(),
  put: db.prepare(
    `INSERT OR REPLACE INTO ${table} VALUES (?, ?${columns.map(() => ', ?').join('')})`,
  ),
  delete: db.prepare(`DELETE FROM ${table} WHERE _key = ?`),
});

interface Found {
  readonly key: string;
  readonly json: string;
  readonly sort: ColumnValue;
}

const list = <Row>(
  db: Database.Database,
  table: string,
  columns: readonly string[],
  query: RowQuery,
): RowPage<Row> => {
  const { where, orderBy, direction, limit, cursor } = query;
  for (const column of [orderBy, ...Object.keys(where ?? {})])
    if (!columns.includes(column))
      throw new UnknownColumnError(`\`${column}\` is no column, use one of ${columns.join(', ')}`);
  const conditions: string[] = [];
  const values: ColumnValue[] = [];
  for (const [column, value] of Object.entries(where ?? {})) {
    const oneOf = Array.isArray(value) ? (value as readonly ColumnValue[]) : [value as ColumnValue];
    conditions.push(`(${oneOf.map(() => `"${column}" IS ?`).join(' OR ') || 'FALSE'})`);
    values.push(...oneOf);
  }
  const after = cursor === null ? null : readCursor(cursor, orderBy);
  const [order, beyond] = direction === 'ascending' ? ['ASC', '>'] : ['DESC', '<'];
  if (after !== null) {
    // A row value compares null as unknown, so the empty text stands for it on both sides.
    conditions.push(`(ifnull("${orderBy}", ''), _key) ${beyond} (?, ?)`);
    values.push(after.sort ?? '', after.key);
  }
  const filter = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const found = db
    .prepare(
      `SELECT _key AS key, _json AS json, "${orderBy}" AS sort FROM ${table} ${filter} ORDER BY ifnull("${orderBy}", '') ${order}, _key ${order} LIMIT ?`,
    )
    .all(...values, limit + 1) as Found[];
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page.map(({ json }) => JSON.parse(json) as Row),
    next: found.length > limit && last !== undefined ? cursorOf(orderBy, last) : null,
  };
};
