import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import pc from 'picocolors';
import { replaySchema } from '../../http/schemas/replay.schema.ts';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import { daemonClient, type CommandContext } from '../context.ts';
import { show } from '../print.ts';
import type { Act } from '../program.ts';
import { isAsRecorded, refusedText, replayText, type ShownReplay } from '../replay/replay-text.ts';

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
  show(context.out, report, () => replayText(report, context.out.columns));
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
      : reports.map((one) => replayText(one, context.out.columns)).join('\n'),
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

const exitOf = (reports: readonly ShownReplay[]): ExitCode =>
  reports.every(isAsRecorded) ? exitCodes.ok : exitCodes.finding;

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
