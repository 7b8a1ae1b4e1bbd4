import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import pc from 'picocolors';
import type { HistoryProblem, ReplayReport } from '@lockstep/engine';
import { replaySchema } from '../../http/schemas/replay.schema.ts';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import { daemonClient, type CommandContext } from '../context.ts';
import { safe, show } from '../print.ts';
import type { Act } from '../program.ts';

interface ReplayFlags {
  readonly file?: string;
}

const replay = async (
  context: CommandContext,
  turn: string | undefined,
  flags: ReplayFlags,
): Promise<ExitCode> => {
  if (flags.file !== undefined) return replayFile(context, flags.file, turn);
  if (turn === undefined)
    throw new CliError(
      exitCodes.usage,
      'name the turn to replay, see `lockstep turns`, or a history with `--file`',
    );
  const answer = await daemonClient(context).send('POST', '/v1/replays', { turn });
  const report = replaySchema.parse(answer);
  show(context.out, report, () => reportText(report));
  return exitOf([report]);
};

/** Replays one turn of an exported history, or all of them, without a daemon. */
const replayFile = async (
  context: CommandContext,
  file: string,
  turn: string | undefined,
): Promise<ExitCode> => {
  const { readHistory, replayer } = await import('@lockstep/engine');
  const read = readHistory(readText(file));
  if (!read.ok) {
    show(context.out, { outcome: 'refused', turn: turn ?? null, problems: read.problems }, () =>
      refusedText(file, read.problems),
    );
    return exitCodes.finding;
  }
  const all = replayer(read.events);
  const reports = (turn === undefined ? all.turns : [turn]).map((id) => all.replay(id, 'required'));
  const [only] = reports;
  const body = turn !== undefined && only !== undefined ? only : { items: reports, next: null };
  show(context.out, body, () =>
    reports.length === 0
      ? pc.red(`refused: \`${file}\` holds no turn`)
      : reports.map(reportText).join('\n'),
  );
  return reports.length === 0 ? exitCodes.finding : exitOf(reports);
};

const readText = (file: string): string => {
  try {
    return readFileSync(resolve(file), 'utf8');
  } catch (cause) {
    throw new CliError(exitCodes.usage, `\`${file}\` cannot be read, name an exported history`, {
      cause,
    });
  }
};

const exitOf = (reports: readonly Pick<ReplayReport, 'outcome'>[]): ExitCode =>
  reports.every(({ outcome }) => outcome === 'same') ? exitCodes.ok : exitCodes.finding;

type Shown = ReturnType<typeof replaySchema.parse>;

const reportText = (report: ReplayReport | Shown): string =>
  [outcomeText(report), ...(report.notes ?? []).map((note) => `  note: ${safe(note)}`)].join('\n');

const outcomeText = (report: ReplayReport | Shown): string => {
  switch (report.outcome) {
    case 'same': {
      const open = report.ended ? '' : ', and the turn has not ended';
      return `${pc.green('same')} turn ${report.turn}: ${report.events} events came out as recorded${open}`;
    }
    case 'diverged':
      return divergedText(report);
    case 'stopped':
      return `${pc.yellow('stopped')} turn ${report.turn}${placeOf(report.at)}: ${safe(report.missing)} is not in the recording`;
    case 'refused':
      return refusedText(`turn ${report.turn}`, report.problems);
  }
};

const divergedText = (
  report: Extract<ReplayReport | Shown, { readonly outcome: 'diverged' }>,
): string => {
  const { turn, at, events, recorded, replayed, fields, why } = report;
  const head = `${pc.red('diverged')} turn ${turn}${placeOf(at)}, after ${events} equal events: ${safe(why)}`;
  if (fields.length > 0)
    return [
      head,
      ...fields.flatMap((field) => [
        `  ${field.path}`,
        `    recorded  ${valueText(field.recorded)}`,
        `    replayed  ${valueText(field.replayed)}`,
      ]),
    ].join('\n');
  return [
    head,
    `    recorded  ${recorded === null ? 'nothing' : recorded.type}`,
    `    replayed  ${replayed === null ? 'nothing' : replayed.type}`,
  ].join('\n');
};

const placeOf = (
  at:
    | Extract<ReplayReport, { readonly outcome: 'diverged' }>['at']
    | Extract<Shown, { readonly outcome: 'diverged' }>['at'],
): string =>
  at === null
    ? ' after its last event'
    : ` at event ${at.revision} (${at.type}, position ${at.position})`;

const longest = 400;

const valueText = (value: string | null): string => {
  if (value === null) return pc.dim('not there');
  const text = safe(value);
  return text.length <= longest
    ? text
    : `${text.slice(0, longest)}… ${pc.dim(`(${text.length} characters)`)}`;
};

const refusedText = (what: string, problems: readonly HistoryProblem[]): string =>
  [
    `${pc.red('refused')} ${what}: this is no history as it was recorded`,
    ...problems.map(({ where, message }) => `  ${safe(where)}: ${safe(message)}`),
  ].join('\n');

/** replay. */
export const addReplayCommand = (program: Command, act: Act): void => {
  program
    .command('replay')
    .description('make the events of a recorded turn again and compare; exit 1 when they differ')
    .argument('[turn]')
    .option('--file <events.jsonl>', 'replay an exported history, without a daemon')
    .action(
      act((context, turn: string | undefined, flags: ReplayFlags) => replay(context, turn, flags)),
    );
};
