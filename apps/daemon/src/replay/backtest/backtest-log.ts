import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { liesElsewhere } from '../../store/lies-elsewhere.ts';
import { openLogForReading } from '../../store/sqlite/log-schema.ts';
import { StoreError, storeError } from '../../store/store-error.ts';
import { readDraft, type Draft, type DraftSource, type ReadDraft } from './draft.ts';
import { runBacktest, type BacktestOutcome, type BacktestWatch } from './run-backtest.ts';
import type { TurnFilter } from './turn-index.ts';

/** A draft that was read, ready to be put to the turns of its log. */
export type PreparedBacktest =
  | {
      readonly kind: 'ready';
      readonly run: (watch?: BacktestWatch) => Promise<BacktestOutcome>;
    }
  | Exclude<ReadDraft, { readonly kind: 'draft' }>;

/** Reads a draft against a log, and says how to judge the log's turns by it.
 * @throws StoreError when there is no log, or it is none that this build reads */
export const prepareBacktest = (ask: {
  /** The log's file. */
  readonly log: string;
  readonly source: DraftSource;
  readonly filter: TurnFilter;
  readonly workers?: number;
}): PreparedBacktest => {
  const { log, source, filter, workers } = ask;
  const found = readFrom(log, source, filter);
  if (found.kind !== 'draft') return found;
  const job = { log, draft: found.draft, filter, ...(workers === undefined ? {} : { workers }) };
  return { kind: 'ready', run: (watch) => runBacktest(job, watch) };
};

const isKnown = (db: Database.Database, { applied }: Draft, agent: string): boolean =>
  Object.hasOwn(applied.config.agents, agent) ||
  db.prepare('SELECT 1 FROM events WHERE agent = ? LIMIT 1').get(agent) !== undefined;

const readFrom = (log: string, source: DraftSource, { agent }: TurnFilter): ReadDraft => {
  const elsewhere = liesElsewhere(log);
  if (elsewhere !== null) return { kind: 'missing', message: elsewhere };
  if (!existsSync(log))
    throw new StoreError(
      'store_unavailable',
      `there is no log at \`${log}\`, name its folder with \`--data\``,
    );
  try {
    const db = openLogForReading(log);
    try {
      const read = readDraft(db, source);
      if (read.kind !== 'draft' || agent === undefined || isKnown(db, read.draft, agent))
        return read;
      return {
        kind: 'missing',
        message: `no agent \`${agent}\`: neither the log nor the draft knows one of this name`,
      };
    } finally {
      db.close();
    }
  } catch (error) {
    throw storeError(error, log);
  }
};
