import { createHash, type Hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { familyOf, payloadsByFamily, positionOf, type LockstepEvent } from '@lockstep/engine';
import type Database from 'better-sqlite3';
import { noteIn, type ImportedNote } from './imported-note.ts';
import { readRow, type EventRow } from './sqlite/event-row.ts';
import { openLogForReading } from './sqlite/log-schema.ts';
import { StoreError, storeError } from './store-error.ts';

export interface LogProblem {
  /** Null for a problem of the file itself. */
  readonly position: string | null;
  readonly stream: string | null;
  readonly message: string;
}

export interface LogCheck {
  readonly events: number;
  readonly problems: readonly LogProblem[];
  /** Problems found beyond those listed. */
  readonly more: number;
  /** Where the log was imported from; null = it was not. What its history leaves out is no problem of the log. */
  readonly imported: ImportedNote | null;
}

/** Problems listed; a log with more of them is broken as a whole. */
const listLimit = 1_000;
const rowsPerTurn = 2_000;

/** Reads the whole log as a stranger would: the database's own check, every event by its schema and place, gapless revisions and
 * agent numbers, times that never go back, and the digests of artifacts. The daemon may be at work meanwhile.
 * @throws StoreError when the file is not there, is no log or cannot be opened */
export const checkLog = async (
  path: string,
  onProgress?: (events: number) => void,
): Promise<LogCheck> => {
  const db = openOrExplain(path);
  try {
    const found = problemList();
    for (const message of integrityOf(db)) found.add({ position: null, stream: null, message });
    const imported = noteIn(db);
    const events = await checkRows(db, found, { gaps: (imported?.gaps ?? 0) > 0, onProgress });
    return { events, problems: found.list, more: found.more(), imported };
  } catch (error) {
    throw storeError(error, path);
  } finally {
    db.close();
  }
};

interface ProblemList {
  readonly list: LogProblem[];
  readonly add: (problem: LogProblem) => void;
  readonly more: () => number;
}

const problemList = (): ProblemList => {
  const list: LogProblem[] = [];
  let more = 0;
  return {
    list,
    add: (problem) => {
      if (list.length < listLimit) list.push(problem);
      else more += 1;
    },
    more: () => more,
  };
};

const openOrExplain = (path: string): Database.Database => {
  if (!existsSync(path))
    throw new StoreError(
      'store_unavailable',
      `there is no log at \`${path}\`, name its folder with \`--data\``,
    );
  try {
    return openLogForReading(path);
  } catch (error) {
    throw storeError(error, path);
  }
};

const integrityOf = (db: Database.Database): readonly string[] => {
  const told = db.pragma('integrity_check') as readonly { readonly integrity_check: string }[];
  return told.map((row) => row.integrity_check).filter((text) => text !== 'ok');
};

const checkRows = async (
  db: Database.Database,
  found: ProblemList,
  {
    gaps,
    onProgress,
  }: { readonly gaps: boolean; readonly onProgress: ((events: number) => void) | undefined },
): Promise<number> => {
  const page = db.prepare('SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?');
  const place = placeCheck(gaps);
  const artifact = artifactCheck();
  let events = 0;
  for (let after = 0; ;) {
    const rows = page.all(after, rowsPerTurn) as EventRow[];
    for (const row of rows) {
      const { stream } = row;
      const position = positionOf(row.position);
      const add = (message: string): void => {
        found.add({ position, stream, message });
      };
      place(row, add);
      const read = readRow(row);
      if (!read.ok) add(`\`${row.type}\` misses its schema (${read.why})`);
      else artifact(read.event, add);
    }
    events += rows.length;
    onProgress?.(events);
    const last = rows.at(-1);
    if (last === undefined) return events;
    after = last.position;
    await nextTurn();
  }
};

type Add = (message: string) => void;

/** What follows from the rows before: revisions, agent numbers, time.
 * @param gaps the log is a part of another: numbers only have to rise */
const placeCheck = (gaps: boolean): ((row: EventRow, add: Add) => void) => {
  const isDue = (number: number | null, due: number): boolean =>
    number === due || (gaps && number !== null && number > due);
  const revisions = new Map<string, number>();
  const numbers = new Map<string, number>();
  let time = 0;
  return (row, add) => {
    const revision = revisions.get(row.stream) ?? 0;
    if (!isDue(row.revision, revision))
      add(`revision ${row.revision} stands where ${revision} is due`);
    revisions.set(row.stream, row.revision + 1);
    if (row.time < time) add(`time ${row.time} is before ${time}, the time of the event before`);
    time = Math.max(time, row.time);
    if (!belongs(row)) add(`\`${row.type}\` does not belong to the stream \`${row.stream}\``);
    if (row.agent === null) {
      if (row.agent_seq !== null) add(`agentSeq ${row.agent_seq} stands on an event of no agent`);
      return;
    }
    const number = numbers.get(row.agent) ?? 1;
    if (!isDue(row.agent_seq, number))
      add(`agentSeq ${row.agent_seq ?? 'null'} of \`${row.agent}\` stands where ${number} is due`);
    numbers.set(row.agent, (row.agent_seq ?? number) + 1);
  };
};

const belongs = ({ stream, type }: EventRow): boolean => {
  const family = familyOf(stream);
  return family !== null && Object.hasOwn(payloadsByFamily[family], type);
};

/** Parts come in order in their stream; the last one settles the digest. Parts of a put that never ended are cited by nobody. */
const artifactCheck = (): ((event: LockstepEvent, add: Add) => void) => {
  const open = new Map<string, Hash>();
  return (event, add) => {
    if (event.type !== 'ArtifactRecorded') return;
    const { digest, part, parts, text } = event.data;
    if (event.stream !== `artifact-${digest}`) add(`digest \`${digest}\` is not the stream's`);
    const hash = open.get(digest) ?? createHash('sha256');
    hash.update(text);
    if (part + 1 < parts) {
      open.set(digest, hash);
      return;
    }
    open.delete(digest);
    const actual = hash.digest('hex');
    if (actual !== digest) add(`the parts of the artifact have digest \`${actual}\``);
  };
};
