import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import pc from 'picocolors';
import { formatProblem, pathNames, triggerSchema, type AppliedConfig } from '@lockstep/policy';
import type { PathName, Trigger } from '@lockstep/policy';
import { replaySchema } from '../../http/schemas/replay.schema.ts';
import type { Answerer } from '../../replay/answer-replay.ts';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import { daemonClient, type CommandContext } from '../context.ts';
import { requireTurn } from '../histories/good-history.ts';
import { show } from '../print.ts';
import type { Act } from '../program.ts';
import { isAsRecorded, refusedText, replayText, type ShownReplay } from '../replay/replay-text.ts';

interface ReplayFlags {
  readonly file?: string;
  readonly path?: PathName;
  readonly trigger?: Trigger;
  readonly configVersion?: number;
  readonly timeline?: boolean;
}

const usage = (message: string, options?: { cause: unknown }): CliError =>
  new CliError(exitCodes.usage, message, options);

const replay = async (
  context: CommandContext,
  turn: string | undefined,
  flags: ReplayFlags,
): Promise<ExitCode> => {
  if (flags.trigger !== undefined && flags.path === undefined)
    throw usage('a trigger is one of a path, name the path with `--path`');
  if (context.settings.configNamed && flags.configVersion !== undefined)
    throw usage(
      'name one other policy: a file with `--config` or a version with `--config-version`',
    );
  if (flags.file !== undefined) return replayFile(context, flags.file, turn, flags);
  if (turn === undefined)
    throw usage('name the turn to replay, see `lockstep turns`, or a history with `--file`');
  const answer = await daemonClient(context).send('POST', '/v1/replays', {
    turn,
    ...(flags.path === undefined ? {} : { path: flags.path }),
    ...(flags.trigger === undefined ? {} : { trigger: flags.trigger }),
    ...configOf(context, flags),
    ...(flags.timeline === true ? { timeline: true } : {}),
  });
  const report = replaySchema.parse(answer);
  show(context.out, report, () => replayText(report, context.out.columns));
  return exitOf([report]);
};

const configOf = (
  { settings }: CommandContext,
  { configVersion }: ReplayFlags,
): { readonly config?: { readonly version: number } | { readonly text: string } } => {
  if (configVersion !== undefined) return { config: { version: configVersion } };
  return settings.configNamed ? { config: { text: readText(settings.config, 'config') } } : {};
};

/** Replays one turn of an exported history, or all of them, without a daemon. */
const replayFile = async (
  context: CommandContext,
  file: string,
  turn: string | undefined,
  flags: ReplayFlags,
): Promise<ExitCode> => {
  const { turnsOf } = await import('@lockstep/engine');
  const { readHistoryFile } = await import('../../replay/histories/read-history-file.ts');
  const { answererOf } = await import('../../replay/answer-replay.ts');
  const read = await readHistoryFile(resolve(file)).catch((cause: unknown) => {
    throw new CliError(exitCodes.usage, `\`${file}\` cannot be read, name an exported history`, {
      cause,
    });
  });
  if (!read.ok) {
    show(context.out, { outcome: 'refused', turn: turn ?? null, problems: read.problems }, () =>
      refusedText(file, read.problems),
    );
    return exitCodes.finding;
  }
  if (turn !== undefined) requireTurn(read.events, turn);
  const all = answererOf(read.events);
  const asked = {
    way: await wayOf(flags),
    config: await otherConfig(context, flags, all),
    timeline: flags.timeline === true,
  };
  const turns = turn === undefined ? turnsOf(read.header, all.turns) : [turn];
  const reports = turns.map((id) => all.answer(id, 'required', asked));
  const [only] = reports;
  const body = turn !== undefined && only !== undefined ? only : { items: reports, next: null };
  show(context.out, body, () =>
    reports.length === 0
      ? pc.red(`refused: \`${file}\` holds no turn`)
      : reports.map((one) => replayText(one, context.out.columns)).join('\n'),
  );
  return reports.length === 0 ? exitCodes.finding : exitOf(reports);
};

const wayOf = async ({ path, trigger }: ReplayFlags) => {
  if (path === undefined) return null;
  const { hasTrigger } = await import('../../replay/re-enter/re-enter.ts');
  const way = { path, trigger };
  if (hasTrigger(way)) return way;
  throw usage(`the path \`${path}\` has no trigger \`${trigger ?? ''}\``);
};

/** The other policy of a history without a daemon: one of its versions, or a file, read as the machine of the history would. */
const otherConfig = async (
  { settings }: CommandContext,
  { configVersion }: ReplayFlags,
  all: Answerer,
): Promise<AppliedConfig | null> => {
  if (configVersion !== undefined) {
    const found = all.version(configVersion);
    if (found === null) throw usage(`the history holds no config version ${configVersion}`);
    return found;
  }
  if (!settings.configNamed) return null;
  const newest = all.newest();
  if (newest === null)
    throw usage('the history holds no config, so nothing says where its paths are');
  const { readOtherConfig } = await import('../../replay/read-other-config.ts');
  const read = readOtherConfig(readText(settings.config, 'config'), settings.config, newest.host);
  if (read.ok) return read.applied;
  const lines = read.problems.map((problem) => `\n  ${formatProblem(settings.config, problem)}`);
  throw usage(`nothing is replayed under a config with problems${lines.join('')}`);
};

const readText = (file: string, what: 'config' | 'history'): string => {
  try {
    return readFileSync(resolve(file), 'utf8');
  } catch (cause) {
    throw usage(
      what === 'config'
        ? `cannot read the config file \`${file}\``
        : `\`${file}\` cannot be read, name an exported history`,
      { cause },
    );
  }
};

const exitOf = (reports: readonly ShownReplay[]): ExitCode =>
  reports.every(isAsRecorded) ? exitCodes.ok : exitCodes.finding;

const wholeNumber = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('give a whole number from 1 on');
  return Number(text);
};

/** replay. */
export const addReplayCommand = (program: Command, act: Act): void => {
  program
    .command('replay')
    .description(
      'make the events of a recorded turn again and compare, as it was, on another path, or under another policy (`--config` or `--config-version`); exit 1 when they differ',
    )
    .addArgument(new Argument('[turn]'))
    .option('--file <events.jsonl>', 'replay an exported history, without a daemon')
    .addOption(new Option('--path <path>', 'the request comes in on this path').choices(pathNames))
    .addOption(
      new Option(
        '--trigger <trigger>',
        'and by this way of it, else by the first that leads there',
      ).choices(triggerSchema.options),
    )
    .addOption(
      new Option('--config-version <n>', 'under a version that was in force').argParser(
        wholeNumber,
      ),
    )
    .option('--timeline', 'with `--json`: the two timelines, step by step')
    .action(
      act((context, turn: string | undefined, flags: ReplayFlags) => replay(context, turn, flags)),
    );
};
