import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { headerOf, historyText, type AboutHistory, type LockstepEvent } from '@lockstep/engine';
import { gatherHistory } from '../gather-history.ts';
import type { RecordedLog } from './open-recorded-log.ts';
import { fileNameOf, replaceFile } from './replace-file.ts';
import { runningDigest } from './running-digest.ts';
import { selectTurns, type TurnChoice } from './select-turns.ts';

/** What was written. */
export interface ExportedHistories {
  readonly files: readonly {
    readonly file: string;
    readonly turns: number;
    readonly events: number;
  }[];
  /** Turns that have not ended: what they still do cannot be held to anything. */
  readonly open: readonly string[];
  /** Named turns that the log does not hold. */
  readonly unknown: readonly string[];
}

interface ExportOptions {
  readonly build: string;
  readonly choice: TurnChoice;
}

const ends: ReadonlySet<string> = new Set([
  'TurnCompleted',
  'TurnFailed',
  'TurnCancelled',
  'TurnRefused',
]);

/** One history: a turn, those below it, and what they cite. */
interface Gathered {
  readonly turn: string;
  readonly events: readonly LockstepEvent[];
  /** The turn and those below it, if they have ended. */
  readonly replayed: readonly string[];
}

/** Histories of the chosen turns. One below a turn that came before stands in the history of that one. */
async function* gathered(
  log: RecordedLog,
  choice: TurnChoice,
  open: string[],
): AsyncGenerator<Gathered> {
  const covered = new Set<string>();
  for (const { turn } of await selectTurns(log, choice)) {
    if (covered.has(turn) && choice.turns === undefined) continue;
    const events = await gatherHistory(log, turn);
    const ended = new Set(
      events.flatMap((event) => (ends.has(event.type) ? [event.stream.slice('turn-'.length)] : [])),
    );
    if (!ended.has(turn)) {
      open.push(turn);
      continue;
    }
    const replayed = treeOf(events, turn).filter((one) => ended.has(one));
    for (const one of replayed) covered.add(one);
    yield { turn, events, replayed };
  }
}

const treeOf = (events: readonly LockstepEvent[], turn: string): readonly string[] =>
  events.flatMap(({ type, stream, meta }) =>
    type === 'TurnRequested' && (meta.turn === turn || meta.chain.includes(turn))
      ? [stream.slice('turn-'.length)]
      : [],
  );

/** A file for each chosen turn, in a folder. */
export const exportToFolder = async (
  log: RecordedLog,
  folder: string,
  { build, choice }: ExportOptions,
): Promise<ExportedHistories> => {
  mkdirSync(folder, { recursive: true });
  const open: string[] = [];
  const files: ExportedHistories['files'][number][] = [];
  const found = new Set<string>();
  for await (const { turn, events, replayed } of gathered(log, choice, open)) {
    const file = join(folder, `${fileNameOf(turn)}.jsonl`);
    await replaceFile(file, (out) =>
      out.writeFile(historyText(events, { build, of: 'turns', turns: replayed })),
    );
    files.push({ file, turns: replayed.length, events: events.length });
    found.add(turn);
  }
  return { files, open, unknown: unknownOf(choice, found, open) };
};

/** All chosen turns in one file, each event once, in log order. No file where there is none. */
export const exportToFile = async (
  log: RecordedLog,
  file: string,
  { build, choice }: ExportOptions,
): Promise<ExportedHistories> => {
  const open: string[] = [];
  const positions = new Set<string>();
  const turns: string[] = [];
  const found = new Set<string>();
  for await (const { turn, events, replayed } of gathered(log, choice, open)) {
    for (const { position } of events) positions.add(position);
    turns.push(...replayed);
    found.add(turn);
  }
  if (found.size === 0) return { files: [], open, unknown: unknownOf(choice, found, open) };
  const unique = [...new Set(turns)];
  const about: AboutHistory = { build, of: 'turns', turns: unique };
  const events = await writeEvents(log, file, {
    about,
    keep: ({ position }) => positions.has(position),
  });
  const files = [{ file, turns: unique.length, events }];
  return { files, open, unknown: unknownOf(choice, found, open) };
};

/** The whole log in one file: what `lockstep import` makes the same log of. */
export const exportLog = async (
  log: RecordedLog,
  file: string,
  build: string,
): Promise<ExportedHistories> => {
  const turns = await selectTurns(log, {});
  const events = await writeEvents(log, file, {
    about: { build, of: 'log', turns: null },
    keep: () => true,
  });
  return { files: [{ file, turns: turns.length, events }], open: [], unknown: [] };
};

/** Reads the log twice, for the digest stands before the lines: nothing but one page of it is in memory. */
const writeEvents = async (
  log: RecordedLog,
  file: string,
  {
    about,
    keep,
  }: { readonly about: AboutHistory; readonly keep: (event: LockstepEvent) => boolean },
): Promise<number> => {
  mkdirSync(dirname(file), { recursive: true });
  let events = 0;
  for await (const page of log.pages()) events += page.filter(keep).length;
  const digest = runningDigest();
  const blank = headerOf(about, events, (head) => {
    digest.add(head);
    return '';
  });
  for await (const page of log.pages())
    for (const event of page.filter(keep)) digest.add(lineOf(event));
  const header = { ...blank, sha256: digest.hex() };
  await replaceFile(file, async (out) => {
    await out.writeFile(`${JSON.stringify(header)}\n`);
    for await (const page of log.pages())
      await out.writeFile(page.filter(keep).map(lineOf).join(''));
  });
  return events;
};

const lineOf = (event: LockstepEvent): string => `${JSON.stringify(event)}\n`;

const unknownOf = (
  { turns = [] }: TurnChoice,
  found: ReadonlySet<string>,
  open: readonly string[],
): readonly string[] => turns.filter((turn) => !found.has(turn) && !open.includes(turn));
