import { readdirSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import {
  counterfactuals,
  replayer,
  thisBuild,
  turnsOf,
  type Engine,
  type ExpectedVerdict,
  type HistoryProblem,
  type ReadHistory,
  type ReplayReport,
  type VerdictSeen,
} from '@lockstep/engine';
import { digestOf, type AppliedConfig, type Config, type Host } from '@lockstep/policy';
import { readHistoryFile } from './read-history-file.ts';

/** What became of one history. */
export type HistoryCheck = { readonly file: string; readonly events: number } & (
  | { readonly state: 'same'; readonly turns: number }
  /** Replays that are not the same, and only those. */
  | {
      readonly state: 'diverged';
      readonly turns: number;
      readonly reports: readonly ReplayReport[];
    }
  | { readonly state: 'refused'; readonly problems: readonly HistoryProblem[] }
  /** A fixture with an expected verdict: `as_expected`, or not yet mended. */
  | {
      readonly state: 'as_expected' | 'not_as_expected';
      readonly expected: ExpectedVerdict;
      /** Null = the call is not judged at all; `why` says why. */
      readonly seen: VerdictSeen | null;
      readonly why: string | null;
    }
);

/** What histories are held to. */
export interface VerifyOptions {
  readonly engine?: Engine;
  /** Puts this config in the place of the recorded one where a fixture expects a verdict; as a function, read as the machine of the
   * history would. */
  readonly config?: Config | ((host: Host) => Config);
}

/** Whether a history is as it has to be. */
export const isGood = ({ state }: HistoryCheck): boolean =>
  state === 'same' || state === 'as_expected';

/** Files of histories below a folder, in order of their names; a file is itself.
 * @throws SystemError when there is neither */
export const historyFilesIn = (place: string): readonly string[] => {
  if (!statSync(place).isDirectory()) return [place];
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(place, name));
};

/** Replays every turn that the file is about, or holds its one call to the expected verdict. Never throws for what a file is or holds. */
export const verifyHistory = async (
  file: string,
  options: VerifyOptions = {},
): Promise<HistoryCheck> => checkHistory(file, await readRegular(file), options);

/** A folder cannot be read, and a pipe may never end. */
const readRegular = async (file: string): Promise<ReadHistory> => {
  const problem = (message: string): ReadHistory => ({
    ok: false,
    problems: [{ where: 'the file', message }],
  });
  try {
    if ((await stat(file)).isFile()) return await readHistoryFile(file);
    return problem('it is no regular file');
  } catch (error) {
    return problem(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
};

/** The same over a history that was read already. */
export const checkHistory = (
  file: string,
  read: ReadHistory,
  options: VerifyOptions,
): HistoryCheck => {
  if (!read.ok) return { file, events: 0, state: 'refused', problems: read.problems };
  try {
    const expected = read.header?.expected;
    return expected === undefined
      ? replayAll(file, read, options)
      : holdToVerdict(file, { read, expected, options });
  } catch (thrown) {
    // What passes its schemas and still breaks a reader was not written by a log.
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return {
      file,
      events: read.events.length,
      state: 'refused',
      problems: [{ where: 'the whole', message: `it cannot be replayed: ${message}` }],
    };
  }
};

type Read = Extract<ReadHistory, { readonly ok: true }>;

const replayAll = (
  file: string,
  { events, header }: Read,
  { engine = thisBuild }: VerifyOptions,
): HistoryCheck => {
  const all = replayer(events, engine);
  const turns = turnsOf(header, all.turns);
  const base = { file, events: events.length };
  if (turns.length === 0)
    return {
      ...base,
      state: 'refused',
      problems: [{ where: 'the whole', message: 'the history holds no turn' }],
    };
  const reports = turns
    .map((turn) => all.replay(turn, 'required'))
    .filter(({ outcome }) => outcome !== 'same');
  return reports.length === 0
    ? { ...base, state: 'same', turns: turns.length }
    : { ...base, state: 'diverged', turns: turns.length, reports };
};

const holdToVerdict = (
  file: string,
  {
    read: { events },
    expected,
    options: { engine = thisBuild, config },
  }: {
    readonly read: Read;
    readonly expected: ExpectedVerdict;
    readonly options: VerifyOptions;
  },
): HistoryCheck => {
  const { turn, call } = expected;
  const base = { file, events: events.length, expected };
  const host = events.find((event) => event.type === 'ConfigApplied')?.data.host;
  const ask = config === undefined || host === undefined ? {} : { config: put(config, host) };
  const report = counterfactuals(events, engine).compare(turn, 'open', ask);
  if (report.outcome === 'refused')
    return { file, events: events.length, state: 'refused', problems: report.problems };
  if (report.outcome !== 'compared') {
    const why =
      report.outcome === 'stopped'
        ? `${report.missing} is not in the history`
        : `the turn would not begin: ${report.why}`;
    return { ...base, state: 'not_as_expected', seen: null, why };
  }
  const seen = report.verdicts.find((one) => one.call === call)?.now ?? null;
  if (seen === null)
    return { ...base, state: 'not_as_expected', seen, why: `the call \`${call}\` is not judged` };
  // Another config may have another reason for the same verdict.
  const same =
    seen.verdict === expected.verdict && (config !== undefined || seen.rule === expected.rule);
  return { ...base, state: same ? 'as_expected' : 'not_as_expected', seen, why: null };
};

const put = (given: NonNullable<VerifyOptions['config']>, host: Host): AppliedConfig => {
  const config = typeof given === 'function' ? given(host) : given;
  return { version: 0, digest: digestOf(config), config, host };
};

/** The name of a file as it is said: below the folder that was named. */
export const shownName = (place: string, file: string): string =>
  relative(place, file) === '' ? file : relative(place, file);
