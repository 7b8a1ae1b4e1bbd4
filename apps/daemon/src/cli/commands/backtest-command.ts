import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { BacktestReport } from '@lockstep/engine';
import { pathNames, type PathName } from '@lockstep/policy';
import type { DraftSource } from '../../replay/backtest/draft.ts';
import type { BacktestOutcome, BacktestWatch } from '../../replay/backtest/run-backtest.ts';
import { readSince } from '../../replay/backtest/since.ts';
import { csvOf } from '../backtest/backtest-csv.ts';
import { backtestText } from '../backtest/backtest-text.ts';
import { failOnWords, hitsIn, readFailOn, type FailOn } from '../backtest/fail-on.ts';
import { judgeDraft } from '../backtest/judge-draft.ts';
import { progressBar } from '../backtest/progress-bar.ts';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import type { CommandContext } from '../context.ts';
import { show } from '../print.ts';
import type { Act } from '../program.ts';

interface Flags {
  readonly configVersion?: number;
  readonly since?: string;
  readonly agent?: string;
  readonly path?: PathName;
  readonly limit?: number;
  readonly file?: string;
  readonly csv?: string;
  readonly failOn?: readonly FailOn[];
}

const backtest = async (context: CommandContext, flags: Flags): Promise<ExitCode> => {
  if (flags.csv === '-' && context.out.json)
    throw new CliError(exitCodes.usage, '`--csv -` and `--json` both print: leave one of them out');
  const source = sourceOf(context, flags);
  const since = flags.since === undefined ? undefined : readSince(flags.since, context.now());
  if (since === null)
    throw new CliError(
      exitCodes.usage,
      `\`${flags.since ?? ''}\` is no time, write \`--since 30d\` or an ISO date`,
    );
  const { agent, path, limit, file } = flags;
  const asked = { source, filter: { since, agent, path, limit }, file };
  const outcome = await watched((watch) => judgeDraft(context, asked, watch));
  if (outcome.kind === 'cancelled') {
    context.note('lockstep: the backtest was stopped');
    return exitCodes.finding;
  }
  print(context, outcome.report, flags.csv);
  const hits = hitsIn(outcome.report, flags.failOn ?? []);
  for (const { word, count } of hits) context.note(`lockstep: ${count} ${word}`);
  const { turns } = outcome.report;
  // A gate that has seen nothing has not let anything through.
  const nothing = flags.failOn !== undefined && turns.all === turns.stopped + turns.refused;
  if (nothing) context.note('lockstep: nothing was judged');
  return hits.length === 0 && !nothing ? exitCodes.ok : exitCodes.finding;
};

const sourceOf = ({ settings }: CommandContext, { configVersion }: Flags): DraftSource => {
  if (settings.configNamed === (configVersion !== undefined))
    throw new CliError(
      exitCodes.usage,
      'name one draft: a file with `--config` or a version with `--config-version`',
    );
  if (configVersion !== undefined) return { version: configVersion };
  try {
    return { text: readFileSync(settings.config, 'utf8'), file: settings.config };
  } catch (cause) {
    throw new CliError(exitCodes.usage, `cannot read the config file \`${settings.config}\``, {
      cause,
    });
  }
};

/** Shows progress, and stops the work when the person does. */
const watched = async (
  work: (watch: Required<BacktestWatch>) => Promise<BacktestOutcome>,
): Promise<BacktestOutcome> => {
  const bar = progressBar();
  const stop = new AbortController();
  const interrupt = (): void => {
    stop.abort();
  };
  process.once('SIGINT', interrupt);
  try {
    return await work({ onProgress: bar.show, signal: stop.signal });
  } finally {
    process.off('SIGINT', interrupt);
    bar.stop();
  }
};

const print = (context: CommandContext, report: BacktestReport, csv: string | undefined): void => {
  if (csv !== undefined) {
    const text = csvOf(report);
    if (report.more > 0)
      context.note(
        `the CSV holds the first ${report.changes.length} changes, ${report.more} more are counted alone`,
      );
    if (csv === '-') {
      context.out.write(text);
      return;
    }
    writeFileSync(resolve(csv), text);
  }
  show(context.out, report, () => backtestText(report, context.out.columns));
};

const wholeNumber = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('give a whole number from 1 on');
  return Number(text);
};

const failOn = (text: string): readonly FailOn[] => {
  const read = readFailOn(text);
  if (read.ok) return read.words;
  throw new InvalidArgumentError(`\`${read.word}\` is none of ${failOnWords.join(', ')}`);
};

/** backtest. */
export const addBacktestCommand = (program: Command, act: Act): void => {
  program
    .command('backtest')
    .description(
      'what a config would have done to the recorded turns; name the draft with --config; nothing is run',
    )
    .option('--config-version <n>', 'a version that was in force, in place of a file', wholeNumber)
    .option('--since <time>', 'turns from then on: `30d`, or an ISO date')
    .option('--agent <alias>', 'turns of one agent')
    .addOption(new Option('--path <path>', 'turns of one path').choices(pathNames))
    .option('--limit <n>', 'the newest so many turns', wholeNumber)
    .option('--file <events.jsonl>', 'turns of an exported history, without a log')
    .option('--csv <file>', 'write the changes as CSV; `-` prints them')
    .option('--fail-on <words>', `exit 1 on any of ${failOnWords.join(', ')}`, failOn)
    .action(act((context, flags: Flags) => backtest(context, flags)));
};
