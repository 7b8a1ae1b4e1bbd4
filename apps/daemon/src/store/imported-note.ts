import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { z } from 'zod';
import { openLogForReading, readInfo } from './sqlite/log-schema.ts';
import { logPath } from './sqlite/sqlite-log.ts';

/** What a log says of itself that was made from a history. */
const noteSchema = z.strictObject({
  /** Name of the file. */
  from: z.string(),
  /** Milliseconds since the epoch. */
  at: z.int(),
  events: z.int(),
  /** Places where the history leaves something out: revisions of a stream, numbers of an agent. 0 = it is a whole log. */
  gaps: z.int(),
  /** Digest that the header of the history gives; null = it had none. */
  sha256: z.string().nullable(),
});
export type ImportedNote = Readonly<z.infer<typeof noteSchema>>;

const key = 'imported';

/** Writes the note into a log that is being made. */
export const writeNote = (db: Database.Database, note: ImportedNote): void => {
  db.prepare('INSERT OR REPLACE INTO log_info VALUES (?, ?)').run(key, JSON.stringify(note));
};

/** What the log in a data folder says of where it was imported from; null = it was not, or there is none. */
export const readNote = (folder: string): ImportedNote | null => {
  if (!existsSync(logPath(folder))) return null;
  const db = openLogForReading(logPath(folder));
  try {
    return noteIn(db);
  } finally {
    db.close();
  }
};

/** The same over an open log. */
export const noteIn = (db: Database.Database): ImportedNote | null => {
  const text = readInfo(db, key);
  if (text === null) return null;
  const read = noteSchema.safeParse(JSON.parse(text));
  return read.success ? read.data : null;
};

/** Where a log comes from, for people. */
export const saidOfNote = ({ from, gaps }: ImportedNote): string =>
  gaps === 0
    ? `it was imported from the history \`${from}\``
    : `it was imported from the history \`${from}\`, a part of a log that leaves something out in ${gaps} places`;

/** The newest config of an imported log, as a file: what a daemon starts on that only shows the log. */
export const importedConfigPath = (folder: string): string => join(folder, 'imported-config.json');
