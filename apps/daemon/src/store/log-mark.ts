import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { numberOf, type DataOf, type EventStore, type Position } from '@lockstep/engine';
import { z } from 'zod';
import { readNote, saidOfNote } from './imported-note.ts';
import { logPath } from './sqlite/sqlite-log.ts';

/** What this machine remembers of its log, beside it and not in it: a copy of the log does not fit the copy of the mark. */
const markSchema = z.strictObject({
  machine: z.string(),
  /** Start of the machine's kernel under which the mark was written; null = the system does not say. Absent in older marks. */
  boot: z.string().nullable().default(null),
  /** Of the log's file: kept by a rename, never by a copy. */
  inode: z.string(),
  /** Starts of a daemon that the log may end with: the last one, and the one that is about to be recorded. */
  incarnations: z.array(z.string()).min(1).max(2),
  /** The log went at least up to here. */
  position: z.string(),
});
type LogMark = z.infer<typeof markSchema>;

/** What is known of the machine that a daemon runs on. */
export interface Machine {
  /** The machine's own id where the system keeps one; else the name of the host. */
  readonly machine: string;
  /** Id of the kernel's present start; null = the system does not say. */
  readonly boot: string | null;
}

/** A log that this machine did not write to its end. */
export interface ForeignLog {
  readonly why: string;
  /** As its last start of a daemon says. */
  readonly host: string;
  readonly incarnation: string;
}

const markPath = (folder: string): string => join(folder, 'log.mark.json');

/** The last start of a daemon that a log knows; null = none ever ran on it. */
export const lastStart = async (store: EventStore): Promise<DataOf<'DaemonStarted'> | null> => {
  const events = await store.readStream('daemon');
  return events.findLast((event) => event.type === 'DaemonStarted')?.data ?? null;
};

/** Whether the log in a data folder is the one that a daemon of this machine wrote last. Null = it is, or no daemon ever ran on it. */
export const judgeLog = async (
  folder: string,
  store: EventStore,
  here: Machine = thisMachine(),
): Promise<ForeignLog | null> => {
  const last = await lastStart(store);
  const imported = readMark(folder) === null ? readNote(folder) : null;
  if (imported !== null) {
    const { host, incarnation } = last ?? { host: 'unknown', incarnation: 'unknown' };
    return { why: saidOfNote(imported), host, incarnation };
  }
  if (last === null) return null;
  const why = whyForeign(folder, { last, head: await store.head(), here });
  return why === null ? null : { why, host: last.host, incarnation: last.incarnation };
};

/** Whether the log was made from a history and nobody has taken it over: then it is only to be looked at. */
export const isOnlyImported = (folder: string): boolean =>
  readMark(folder) === null && readNote(folder) !== null;

const whyForeign = (
  folder: string,
  {
    last,
    head,
    here,
  }: {
    readonly last: DataOf<'DaemonStarted'>;
    readonly head: Position | 'start';
    readonly here: Machine;
  },
): string | null => {
  const mark = readMark(folder);
  if (mark === null) return 'this machine has no mark of it';
  if (!isSame(mark, here)) return 'another machine wrote it';
  if (mark.inode !== inodeOf(folder)) return 'its file is a copy';
  if (!mark.incarnations.includes(last.incarnation))
    return 'the last daemon that wrote it is not the last one here';
  return numberOf(head) < numberOf(mark.position) ? 'it ends before what was recorded here' : null;
};

/** One kernel that has not started anew is one machine, whatever name or id a container on it has been given since. */
const isSame = (mark: Machine, here: Machine): boolean =>
  mark.machine === here.machine || (mark.boot !== null && mark.boot === here.boot);

/** Writes the mark anew, durable when this returns.
 * @throws SystemError when the folder takes no file */
export const writeMark = (
  folder: string,
  { incarnations, position }: Pick<LogMark, 'incarnations' | 'position'>,
  here: Machine = thisMachine(),
): void => {
  const mark: LogMark = { ...here, inode: inodeOf(folder), incarnations, position };
  const draft = `${markPath(folder)}.new`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeSync(file, `${JSON.stringify(mark)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, markPath(folder));
};

const readMark = (folder: string): LogMark | null => {
  try {
    const read = markSchema.safeParse(JSON.parse(readFileSync(markPath(folder), 'utf8')));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
};

/** A log on a cluster has no file here; it is known by its last start of a daemon alone. */
const inodeOf = (folder: string): string =>
  statSync(logPath(folder), { bigint: true, throwIfNoEntry: false })?.ino.toString() ?? 'none';

const thisMachine = (): Machine => {
  const id = lineOf('/etc/machine-id');
  return {
    machine: id === null ? `host:${hostname()}` : `id:${id}`,
    boot: lineOf('/proc/sys/kernel/random/boot_id'),
  };
};

/** What a file of the system says; null = there is none, or nothing in it. Not every system has one. */
const lineOf = (path: string): string | null => {
  try {
    const line = readFileSync(path, 'utf8').trim();
    return line === '' ? null : line;
  } catch {
    return null;
  }
};
