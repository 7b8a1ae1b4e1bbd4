import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { formatProblem, type PathName } from '@lockstep/policy';
import type { DraftSource } from '../../replay/backtest/draft.ts';
import type { BacktestOutcome, BacktestWatch } from '../../replay/backtest/run-backtest.ts';
import type { Imported } from '../../replay/import/lay-history.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { daemonClient, type CommandContext } from '../context.ts';
import { safeLine } from '../print.ts';
import { askDaemon } from './ask-daemon.ts';

/** What is to be judged by what. */
export interface AskedBacktest {
  readonly source: DraftSource;
  readonly filter: {
    readonly since: number | undefined;
    readonly agent: string | undefined;
    readonly path: PathName | undefined;
    readonly limit: number | undefined;
  };
  /** An exported history; absent = the log of the data folder, or of the daemon that a url names. */
  readonly file: string | undefined;
}

/** Over an exported history, over the log of the data folder, or by the daemon that a url names. */
export const judgeDraft = async (
  context: CommandContext,
  asked: AskedBacktest,
  watch: Required<BacktestWatch>,
): Promise<BacktestOutcome> => {
  const { file, source, filter } = asked;
  if (file !== undefined) return judgeHistory(context, resolve(file), asked, watch);
  const { logPath } = await import('../../store/sqlite/sqlite-log.ts');
  if (context.settings.url === null) return judgeLog(logPath(context.settings.data), asked, watch);
  const { since, agent, path, limit } = filter;
  return askDaemon(
    daemonClient(context),
    {
      config: 'text' in source ? { text: source.text } : source,
      since: since === undefined ? undefined : new Date(since).toISOString(),
      agent,
      path,
      limit,
    },
    watch,
  );
};

const judgeLog = async (
  log: string,
  { source, filter }: AskedBacktest,
  watch: Required<BacktestWatch>,
): Promise<BacktestOutcome> => {
  const { prepareBacktest } = await import('../../replay/backtest/backtest-log.ts');
  const prepared = prepareBacktest({ log, source, filter });
  switch (prepared.kind) {
    case 'ready':
      return prepared.run(watch);
    case 'missing':
      throw new CliError(exitCodes.usage, prepared.message);
    case 'invalid': {
      const file = 'file' in source ? source.file : '';
      const lines = prepared.problems.map((problem) => `\n  ${formatProblem(file, problem)}`);
      throw new CliError(
        exitCodes.usage,
        `nothing is judged under a config with problems${lines.join('')}`,
      );
    }
  }
};

/** A history may be larger than memory: it becomes a log of its own, for as long as it is judged. */
const judgeHistory = async (
  context: CommandContext,
  file: string,
  asked: AskedBacktest,
  watch: Required<BacktestWatch>,
): Promise<BacktestOutcome> => {
  const { layHistory } = await import('../../replay/import/lay-history.ts');
  const { logPath } = await import('../../store/sqlite/sqlite-log.ts');
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-backtest-'));
  try {
    const laid = await layHistory(file, folder, { clock: { now: context.now } });
    if (!laid.ok) throw new CliError(exitCodes.finding, whyNotLaid(file, laid));
    return await judgeLog(logPath(folder), asked, watch);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const whyNotLaid = (file: string, laid: Extract<Imported, { readonly ok: false }>): string =>
  [
    `\`${file}\` is no history as it was recorded`,
    ...('problems' in laid ? laid.problems : []).map(
      ({ where, message }) => `  ${safeLine(where)}: ${safeLine(message)}`,
    ),
  ].join('\n');
