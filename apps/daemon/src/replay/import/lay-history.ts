import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  historyBounds,
  historyReader,
  numberOf,
  type Clock,
  type HistoryProblem,
  type HistoryReader,
  type LockstepEvent,
} from '@lockstep/engine';
import type Database from 'better-sqlite3';
import { lockFolder } from '../../store/sqlite/folder-lock.ts';
import { writeNote, type ImportedNote } from '../../store/imported-note.ts';
import { openLogForWriting } from '../../store/sqlite/log-schema.ts';
import { logPath } from '../../store/sqlite/sqlite-log.ts';
import { sqliteCode } from '../../store/store-error.ts';
import { linesOfFile, type FileBounds } from '../histories/lines-of-file.ts';
import { runningDigest } from '../histories/running-digest.ts';
import { placeCheck, type PlaceCheck } from './check-place.ts';
import { writeImportedConfig } from './imported-config.ts';

/** What became of an import. */
export type Imported =
  | { readonly ok: true; readonly note: ImportedNote }
  /** Nothing was left in the folder. */
  | { readonly ok: false; readonly reason: 'not_empty'; readonly found: string }
  | {
      readonly ok: false;
      readonly reason: 'refused';
      readonly problems: readonly HistoryProblem[];
    };

/** A log is read as a stream, so its size is bounded by the disk alone; a line is not. */
const bounds: FileBounds = { line: historyBounds.line, bytes: 64 * 1024 * 1024 * 1024 };
const eventsPerCommit = 2_000;

/** Makes a log of a history in an empty folder: every event as it was, with its id, place, time and numbers. A history that is not as
 * it was recorded leaves nothing behind.
 * @throws SystemError when the file cannot be read, StoreError when the folder cannot be written */
export const layHistory = async (
  file: string,
  folder: string,
  { clock, limits = bounds }: { readonly clock: Clock; readonly limits?: FileBounds },
): Promise<Imported> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [found] = readdirSync(folder);
  if (found !== undefined) return { ok: false, reason: 'not_empty', found };
  const lock = lockFolder(folder, clock.now());
  const draft = join(folder, 'import.db');
  let done = false;
  try {
    const read = await layInto(file, draft, limits);
    if (read.problems.length > 0) return { ok: false, reason: 'refused', problems: read.problems };
    const { note, problem } = finish(draft, { file, folder, at: clock.now(), read });
    if (problem !== null) return { ok: false, reason: 'refused', problems: [problem] };
    renameSync(draft, logPath(folder));
    done = true;
    return { ok: true, note };
  } finally {
    lock.release();
    if (!done) for (const name of readdirSync(folder)) rmSync(join(folder, name));
  }
};

interface Laid {
  readonly problems: readonly HistoryProblem[];
  readonly events: number;
  readonly gaps: number;
  readonly sha256: string | null;
}

const layInto = async (file: string, draft: string, limits: FileBounds): Promise<Laid> => {
  const db = openLogForWriting(draft);
  const laying = new Laying(db, historyReader(runningDigest()), placeCheck());
  try {
    db.exec('BEGIN IMMEDIATE');
    for await (const line of linesOfFile(file, limits)) {
      laying.lines += 1;
      if (line.kind === 'stop') laying.refuse([laying.here(line.why)]);
      else laying.take(line.text);
      if (laying.problems.length >= historyBounds.problems || line.kind === 'stop') break;
    }
    const result = laying.end();
    db.exec('COMMIT');
    return result;
  } finally {
    db.close();
  }
};

/** Writes events as they come, until one is wrong: from then on it only reads, for what else is. */
class Laying {
  readonly #db: Database.Database;
  readonly #reader: HistoryReader;
  readonly #place: PlaceCheck;
  readonly #insert: Database.Statement;
  readonly problems: HistoryProblem[] = [];
  lines = 0;
  #events = 0;

  constructor(db: Database.Database, reader: HistoryReader, place: PlaceCheck) {
    this.#db = db;
    this.#reader = reader;
    this.#place = place;
    this.#insert = db.prepare(
      `INSERT INTO events (position, id, stream, revision, type, schema, time, agent, agent_seq, epoch, data, meta)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  here(message: string): HistoryProblem {
    return { where: `line ${this.lines}`, message };
  }

  refuse(problems: readonly HistoryProblem[]): void {
    this.problems.push(...problems);
  }

  take(text: string): void {
    const taken = this.#reader.take(text);
    if (taken.kind === 'problem') this.refuse(taken.problems);
    if (taken.kind !== 'event') return;
    const { event } = taken;
    const why = this.#place.take(event);
    if (why !== null) {
      const { where, message } = this.here(why);
      this.refuse([{ where: `${where} (${event.stream}@${event.revision})`, message }]);
    }
    if (this.problems.length === 0) this.#write(event);
  }

  end(): Laid {
    const whole = this.problems.length > 0 ? [] : this.#reader.end();
    return {
      problems: [...this.problems, ...whole].slice(0, historyBounds.problems),
      events: this.#events,
      gaps: this.#place.gaps,
      sha256: this.#reader.header?.sha256 ?? null,
    };
  }

  #write(event: LockstepEvent): void {
    const { agentSeq, epoch, ...meta } = event.meta;
    try {
      this.#insert.run(
        ...[numberOf(event.position), event.id, event.stream, event.revision, event.type],
        ...[event.schema, event.time, meta.agent, agentSeq, epoch],
        ...[JSON.stringify(event.data), JSON.stringify(meta)],
      );
    } catch (error) {
      if (sqliteCode(error)?.startsWith('SQLITE_CONSTRAINT') !== true) throw error;
      this.refuse([this.here(`the event \`${event.id}\` stands twice`)]);
      return;
    }
    this.#events += 1;
    if (this.#events % eventsPerCommit === 0) this.#db.exec('COMMIT; BEGIN IMMEDIATE');
  }
}

const finish = (
  draft: string,
  {
    file,
    folder,
    at,
    read,
  }: {
    readonly file: string;
    readonly folder: string;
    readonly at: number;
    readonly read: Laid;
  },
): { readonly note: ImportedNote; readonly problem: HistoryProblem | null } => {
  const { events, gaps, sha256 } = read;
  const note: ImportedNote = { from: basename(file), at, events, gaps, sha256 };
  const db = openLogForWriting(draft);
  try {
    writeNote(db, note);
    return { note, problem: writeImportedConfig(folder, db) };
  } finally {
    db.close();
  }
};
