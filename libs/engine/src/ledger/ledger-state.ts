import type { DataOf } from '../events/event.ts';
import type { Job } from '../events/job-events.ts';
import type {
  AcceptedMessage,
  ActionCount,
  ConnectionRecord,
  DaySpending,
  FlagRecord,
  JobTimes,
  LiveToken,
  OwedReply,
  PendingRecord,
  SessionRecord,
  SopRunRecord,
  SpendingRecord,
  UnknownOutcome,
  WaitingMessage,
} from '../ports/ledger.ts';

/** Raise it when the fold's meaning or a row's shape changes: checkpoints of another version are not read. */
export const ledgerVersion = 6;

/** Rows of the ledger, by table. Every value is plain JSON. */
export interface LedgerTables {
  openTurns: { readonly turn: string; readonly agent: string };
  waiting: WaitingMessage;
  grants: DataOf<'GrantIssued'>;
  /** Keys `stop` (all agents), `stop <agent>` and `pause <agent>`. */
  flags: FlagRecord;
  sessions: SessionRecord;
  messages: AcceptedMessage;
  /** Sessions of the messages that came with a key of their sender's, by message. */
  keys: { readonly session: string };
  pending: PendingRecord;
  /** The most recently decided ones only. */
  decided: PendingRecord;
  unsettled: readonly UnknownOutcome[];
  /** Turns of open trees, with what each and those below it have used. */
  spending: SpendingRecord;
  /** Tool calls in the seconds of a minute, by agent and minute; what left every window is dropped. */
  actions: readonly ActionCount[];
  /** Money of the last day on which an agent spent some. */
  days: DaySpending;
  tokens: LiveToken;
  /** Replies owed to channels, by turn. */
  owedReplies: OwedReply;
  connections: ConnectionRecord;
  /** Jobs that tools made. */
  jobs: Job;
  /** The last time of every job, of config and of tools, by name. */
  jobTimes: JobTimes;
  /** Runs of procedures that have not ended. */
  sopRuns: SopRunRecord;
  /** `person`: behind whoever brought it; null = nobody is known. */
  configs: {
    readonly time: number;
    readonly person: string | null;
    readonly data: DataOf<'ConfigApplied'>;
  };
}
export type LedgerTable = keyof LedgerTables;

/** Tables that grow with the number of turns: their rows may be left to the checkpoint; see `letGo`. */
export const pagedTables = [
  'sessions',
  'messages',
  'keys',
] as const satisfies readonly LedgerTable[];
export type PagedTable = (typeof pagedTables)[number];

/** Rows of the last checkpoint, as they lie on disk. */
export interface StoredRows {
  /** JSON text; null = there is no such row. */
  get(table: PagedTable, key: string): string | null;
  /** Oldest change first. */
  all(table: PagedTable): Iterable<{ readonly key: string; readonly json: string }>;
}

/** The folded ledger. The fold owns and changes it. */
export interface LedgerState {
  /** Rows at hand. Of paged tables these may be a part: read them by `rowOf` and `rowsOf`, those that changed last stand last. */
  readonly rows: { readonly [T in LedgerTable]: Map<string, LedgerTables[T]> };
  /** Where rows lie that are not at hand; null = all are. */
  stored: StoredRows | null;
  /** Rows of paged tables that are gone, though the last checkpoint may hold them still; as `table key`. */
  readonly gone: Set<string>;
  /** Token ids by hash, derived. */
  readonly tokenIds: Map<string, string>;
  /** Rows changed since the last `takeChanges`, as `table key`, in order of their last change. */
  readonly touched: Set<string>;
}

/** One row of a checkpoint: JSON text, or null for a row that is gone. */
export interface LedgerChange {
  readonly table: string;
  readonly key: string;
  readonly json: string | null;
}

/** The ledger of an empty log. */
export const emptyLedger = (): LedgerState => ({
  rows: {
    openTurns: new Map(),
    waiting: new Map(),
    grants: new Map(),
    flags: new Map(),
    sessions: new Map(),
    messages: new Map(),
    keys: new Map(),
    pending: new Map(),
    decided: new Map(),
    unsettled: new Map(),
    spending: new Map(),
    actions: new Map(),
    days: new Map(),
    tokens: new Map(),
    owedReplies: new Map(),
    connections: new Map(),
    jobs: new Map(),
    jobTimes: new Map(),
    sopRuns: new Map(),
    configs: new Map(),
  },
  stored: null,
  gone: new Set(),
  tokenIds: new Map(),
  touched: new Set(),
});

/** Writes a row and remembers that it changed. */
export const setRow = <T extends LedgerTable>(
  state: LedgerState,
  table: T,
  key: string,
  row: LedgerTables[T],
): void => {
  if (isPaged(table)) {
    state.rows[table].delete(key);
    state.gone.delete(`${table} ${key}`);
  }
  state.rows[table].set(key, row);
  touch(state, table, key);
};

/** Removes a row and remembers that it changed; a row that is not there is left alone. */
export const dropRow = (state: LedgerState, table: LedgerTable, key: string): void => {
  const isStored = isPaged(table) && storedRow(state, table, key) !== undefined;
  if (isStored) state.gone.add(`${table} ${key}`);
  if (state.rows[table].delete(key) || isStored) touch(state, table, key);
};

/** A row of a paged table, wherever it lies. */
export const rowOf = <T extends PagedTable>(
  state: LedgerState,
  table: T,
  key: string,
): LedgerTables[T] | undefined => state.rows[table].get(key) ?? storedRow(state, table, key);

/** Every row of a paged table, those that changed last at the end. */
export const rowsOf = <T extends PagedTable>(
  state: LedgerState,
  table: T,
): readonly LedgerTables[T][] => {
  const { stored, gone } = state;
  const atHand = state.rows[table];
  const others: LedgerTables[T][] = [];
  for (const { key, json } of stored?.all(table) ?? [])
    if (!atHand.has(key) && !gone.has(`${table} ${key}`))
      others.push(JSON.parse(json) as LedgerTables[T]);
  return [...others, ...atHand.values()];
};

const storedRow = <T extends PagedTable>(
  { stored, gone }: LedgerState,
  table: T,
  key: string,
): LedgerTables[T] | undefined => {
  if (stored === null || gone.has(`${table} ${key}`)) return undefined;
  const json = stored.get(table, key);
  return json === null ? undefined : (JSON.parse(json) as LedgerTables[T]);
};

/** Leaves rows of paged tables to the checkpoint that holds them, but for so many of each table that changed last. To be called when the
 * changes taken last are on disk.
 * @param stored the rows of that checkpoint */
export const letGo = (state: LedgerState, stored: StoredRows, atHand: number): void => {
  state.stored = stored;
  for (const name of state.gone) if (!state.touched.has(name)) state.gone.delete(name);
  for (const table of pagedTables) {
    const rows: Map<string, unknown> = state.rows[table];
    for (const key of rows.keys()) {
      if (rows.size <= atHand) break;
      // What changed since is in no checkpoint yet.
      if (!state.touched.has(`${table} ${key}`)) rows.delete(key);
    }
  }
};

/** Takes changes back that did not reach the disk: the next checkpoint has them. */
export const keepChanges = (state: LedgerState, changes: readonly LedgerChange[]): void => {
  const since = [...state.touched];
  state.touched.clear();
  for (const { table, key } of changes) state.touched.add(`${table} ${key}`);
  for (const name of since) {
    state.touched.delete(name);
    state.touched.add(name);
  }
};

/** Rows changed since the last call, oldest change first: what an incremental checkpoint writes. */
export const takeChanges = (state: LedgerState): readonly LedgerChange[] => {
  const changes = [...state.touched].map((name) => {
    const cut = name.indexOf(' ');
    const table = name.slice(0, cut) as LedgerTable;
    const key = name.slice(cut + 1);
    const row = state.rows[table].get(key);
    return { table, key, json: row === undefined ? null : JSON.stringify(row) };
  });
  state.touched.clear();
  return changes;
};

/** All rows as a checkpoint holds them, in the order in which `thawLedger` wants them. */
export const freezeLedger = (state: LedgerState): readonly LedgerChange[] =>
  (Object.keys(state.rows) as LedgerTable[]).flatMap((table) =>
    [...state.rows[table]].map(([key, row]) => ({ table, key, json: JSON.stringify(row) })),
  );

/** The ledger of a checkpoint's rows, given in the order in which they last changed. */
export const thawLedger = (rows: Iterable<LedgerChange>): LedgerState => {
  const state = emptyLedger();
  for (const { table, key, json } of rows) {
    if (json === null || !isTable(state, table)) continue;
    const known: Map<string, unknown> = state.rows[table];
    known.set(key, JSON.parse(json));
  }
  for (const [id, token] of state.rows.tokens) state.tokenIds.set(token.hash, id);
  return state;
};

const touch = (state: LedgerState, table: LedgerTable, key: string): void => {
  const name = `${table} ${key}`;
  state.touched.delete(name);
  state.touched.add(name);
};

const isPaged = (table: LedgerTable): table is PagedTable =>
  (pagedTables as readonly LedgerTable[]).includes(table);

const isTable = (state: LedgerState, table: string): table is LedgerTable =>
  Object.hasOwn(state.rows, table);
