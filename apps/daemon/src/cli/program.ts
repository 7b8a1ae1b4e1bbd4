import { Command, CommanderError } from 'commander';
import { CliError, exitCodes, type ExitCode } from './cli-error.ts';
import type { CommandContext } from './context.ts';
import { onlyColours } from './print.ts';
import { settingsFrom, type GlobalFlags } from './settings.ts';
import { addAcpCommand } from './commands/acp-command.ts';
import { addAdoptCommand } from './commands/adopt-command.ts';
import { addApprovalCommands } from './commands/approval-commands.ts';
import { addBacktestCommand } from './commands/backtest-command.ts';
import { addBisectCommand } from './commands/bisect-command.ts';
import { addCompletionCommand } from './commands/completion-command.ts';
import { addControlCommands } from './commands/control-commands.ts';
import { addConfigCommands } from './commands/config-commands.ts';
import { addHistoriesCommands } from './commands/histories-commands.ts';
import { addImportCommand } from './commands/import-command.ts';
import { addInitCommand } from './commands/init-command.ts';
import { addMinimizeCommand } from './commands/minimize-command.ts';
import { addParityCommand } from './commands/parity-command.ts';
import { addPolicyCommands } from './commands/policy-commands.ts';
import { addLogCommands } from './commands/log-commands.ts';
import { addDaemonCommands } from './commands/daemon-commands.ts';
import { addReplayCommand } from './commands/replay-command.ts';
import { addTokenCommands } from './commands/token-commands.ts';
import { addTurnCommands } from './commands/turn-commands.ts';
import { addWorkCommands } from './commands/work-commands.ts';

type Work<A extends unknown[]> = (
  context: CommandContext,
  ...args: A
) => Promise<ExitCode> | Promise<void> | ExitCode | undefined;

/** Turns work on a context into an action of commander. */
export type Act = <A extends unknown[]>(work: Work<A>) => (...args: A) => Promise<void>;

/** The surroundings of one call of the command line. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly write: (text: string) => void;
  readonly note: (text: string) => void;
  /** Width of the terminal; absent when the output is no terminal. */
  readonly columns?: number | undefined;
  readonly now: () => number;
  readonly version: string;
  /** Whoever read the output has gone; absent = it stays. */
  readonly readerGone?: AbortSignal;
}

/** Runs one command line and answers its exit code. Never throws. */
export const runCli = async (argv: readonly string[], around: Surroundings): Promise<ExitCode> => {
  let code: ExitCode = exitCodes.ok;
  const program = new Command('lockstep');
  const act: Act =
    (work) =>
    async (...args) => {
      const settings = settingsFrom(program.opts<GlobalFlags>(), around.env, around.cwd);
      const context: CommandContext = {
        settings,
        out: { write: around.write, json: settings.json, columns: around.columns ?? null },
        note: (text) => {
          around.note(`${onlyColours(text)}\n`);
        },
        now: around.now,
        version: around.version,
        readerGone: around.readerGone ?? new AbortController().signal,
      };
      code = (await work(context, ...args)) ?? exitCodes.ok;
    };
  describeProgram(program, around);
  for (const add of [
    addDaemonCommands,
    addInitCommand,
    addTurnCommands,
    addAcpCommand,
    addApprovalCommands,
    addControlCommands,
    addAdoptCommand,
    addWorkCommands,
    addConfigCommands,
    addPolicyCommands,
    addParityCommand,
    addReplayCommand,
    addBacktestCommand,
    addBisectCommand,
    addMinimizeCommand,
    addHistoriesCommands,
    addImportCommand,
    addLogCommands,
    addTokenCommands,
    addCompletionCommand,
  ])
    add(program, act);
  forEachCommand(program, (c) => {
    c.exitOverride();
    c.configureOutput({ writeOut: around.write, writeErr: around.note });
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    return failure(error, around);
  }
};

const describeProgram = (program: Command, around: Surroundings): void => {
  program
    .description('one policy for every way an agent can be started, and the proof of it')
    .version(around.version)
    .option('--config <file>', 'config file (LOCKSTEP_CONFIG)')
    .option('--data <folder>', 'data folder (LOCKSTEP_DATA), default .lockstep')
    .option('--url <url>', 'daemon to talk to (LOCKSTEP_URL)')
    .option('--token <token>', 'token for it (LOCKSTEP_TOKEN)')
    .option('--json', 'print JSON')
    .showSuggestionAfterError()
    .helpCommand(true);
};

const forEachCommand = (command: Command, visit: (c: Command) => void): void => {
  visit(command);
  for (const child of command.commands) forEachCommand(child, visit);
};

const failure = (error: unknown, around: Surroundings): ExitCode => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (error instanceof CliError) {
    around.note(`lockstep: ${onlyColours(error.message)}\n`);
    return error.code;
  }
  const classified = classifyStart(error);
  around.note(`lockstep: ${onlyColours(classified.message)}\n`);
  return classified.code;
};

/** Errors of a starting daemon carry an `exitCode` of their own; anything else is a bug and says so. */
const classifyStart = (error: unknown): { code: ExitCode; message: string } => {
  const message = error instanceof Error ? error.message : String(error);
  const code = (error as { exitCode?: unknown } | null)?.exitCode;
  if (code === 2) return { code: exitCodes.usage, message };
  if (code === 4) return { code: exitCodes.machine, message };
  return { code: exitCodes.machine, message: `unexpected: ${message}` };
};
