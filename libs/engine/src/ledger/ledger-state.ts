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

/** The folded ledger. The fold owns and changes it. */
export interface LedgerState {
  readonly rows: { readonly [T in LedgerTable]: Map<string, LedgerTables[T]> };
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
  state.rows[table].set(key, row);
  touch(state, table, key);
};

/** Removes a row and remembers that it changed; a row that is not there is left alone. */
export const dropRow = (state: LedgerState, table: LedgerTable, key: string): void => {
  if (state.rows[table].delete(key)) touch(state, table, key);
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

const isTable = (state: LedgerState, table: string): table is LedgerTable =>
  Object.hasOwn(state.rows, table);
