import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import pc from 'picocolors';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import type { CommandContext } from '../context.ts';
import { show } from '../print.ts';
import type { Act } from '../program.ts';

interface UpFlags {
  port?: string;
  host?: string;
  consolePort?: string;
  console: boolean;
  log?: string;
}

const portOf = (text: string | undefined, name: string): number | undefined => {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new CliError(exitCodes.usage, `\`${text}\` is no port for ${name}`);
};

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

const logLevel = (given: string | undefined): string => {
  // On a terminal the greeting should not drown in log lines.
  const level = given ?? process.env['LOCKSTEP_LOG'] ?? (process.stderr.isTTY ? 'warn' : 'info');
  if (levels.includes(level)) return level;
  throw new CliError(exitCodes.usage, `\`${level}\` is no log level, use ${levels.join(', ')}`);
};

/** An imported log brings the config that it was recorded under, for as long as it is only looked at. */
const withImportedConfig = async (context: CommandContext): Promise<CommandContext> => {
  const { settings } = context;
  if (settings.configNamed || process.env['LOCKSTEP_CONFIG'] !== undefined) return context;
  const { importedConfigPath } = await import('../../store/imported-note.ts');
  const { isOnlyImported } = await import('../../store/log-mark.ts');
  const config = importedConfigPath(settings.data);
  return existsSync(config) && isOnlyImported(settings.data)
    ? { ...context, settings: { ...settings, config } }
    : context;
};

const runUp = async (context: CommandContext, flags: UpFlags): Promise<ExitCode> => {
  const { env } = process;
  const { up } = await import('../up.ts');
  return up(await withImportedConfig(context), {
    port: portOf(flags.port ?? env['LOCKSTEP_PORT'], '--port'),
    host: flags.host ?? env['LOCKSTEP_HOST'],
    consolePort:
      portOf(flags.consolePort ?? env['LOCKSTEP_CONSOLE_PORT'], '--console-port') ?? 7421,
    consoleHost: env['LOCKSTEP_CONSOLE_HOST'] ?? '127.0.0.1',
    consoleUrl: env['LOCKSTEP_CONSOLE_URL'] ?? null,
    withConsole: flags.console,
    log: logLevel(flags.log),
  });
};

const checkLogFile = async (context: CommandContext): Promise<ExitCode> => {
  const { checkLog } = await import('../../store/check-log.ts');
  const { saidOfNote } = await import('../../store/imported-note.ts');
  const { logPath } = await import('../../store/sqlite/sqlite-log.ts');
  const checked = await checkLog(logPath(context.settings.data), (events) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${events} events`);
  });
  if (process.stderr.isTTY) process.stderr.write('\r');
  show(context.out, checked, () =>
    [
      ...checked.problems.map((p) =>
        pc.red(`${p.position ?? 'file'} ${p.stream ?? ''}: ${p.message}`),
      ),
      ...(checked.more > 0 ? [`and ${checked.more} more`] : []),
      checked.problems.length === 0
        ? `the log is good: ${checked.events} events`
        : `${checked.problems.length + checked.more} problems in ${checked.events} events`,
      ...(checked.imported === null ? [] : [saidOfNote(checked.imported)]),
    ].join('\n'),
  );
  return checked.problems.length === 0 ? exitCodes.ok : exitCodes.finding;
};

const runDoctor = async (context: CommandContext, flags: { log?: boolean }): Promise<ExitCode> => {
  if (flags.log === true) return checkLogFile(context);
  const { examine } = await import('../doctor.ts');
  const findings = await examine(context.settings);
  const mark = { ok: pc.green('●'), warning: pc.yellow('◐'), problem: pc.red('✕') };
  show(context.out, { findings }, () =>
    findings.map((f) => `${mark[f.state]} ${f.what}: ${f.says}`).join('\n'),
  );
  return findings.some((f) => f.state === 'problem') ? exitCodes.finding : exitCodes.ok;
};

interface DemoFlags {
  port?: string;
  consolePort?: string;
  console: boolean;
  once?: boolean;
  divergence?: boolean;
}

const runDemo = async (context: CommandContext, flags: DemoFlags): Promise<ExitCode> => {
  const { demo } = await import('../demo/demo.ts');
  const { divergence } = await import('../demo/divergence.ts');
  const recorded = flags.divergence === true;
  return (recorded ? divergence : demo)(context, {
    folder: `${context.settings.data}-${recorded ? 'divergence' : 'demo'}`,
    port: portOf(flags.port, '--port') ?? 7430,
    consolePort: portOf(flags.consolePort, '--console-port') ?? 7431,
    withConsole: flags.console,
    once: flags.once ?? false,
  });
};

/** up, demo, doctor. */
export const addDaemonCommands = (program: Command, act: Act): void => {
  program
    .command('up')
    .description('start daemon and console')
    .option('--port <n>', 'port of the daemon (LOCKSTEP_PORT), default from the config, 7420')
    .option('--host <address>', 'address to bind (LOCKSTEP_HOST), default from the config')
    .option('--console-port <n>', 'port of the console (LOCKSTEP_CONSOLE_PORT), default 7421')
    .option('--no-console', 'the daemon alone')
    .option('--log <level>', `${levels.join(', ')} (LOCKSTEP_LOG)`)
    .action(act((context, flags: UpFlags) => runUp(context, flags)));
  program
    .command('demo')
    .description('play turns until every enforced setting has acted, and watch the matrix fill')
    .option('--port <n>', 'port of its own daemon, default 7430')
    .option('--console-port <n>', 'port of its own console, default 7431')
    .option('--no-console', 'no browser, only the summary')
    .option('--once', 'end when all is played')
    .option('--divergence', 'instead show a recorded history of a path that bypassed the policy')
    .action(act((context, flags: DemoFlags) => runDemo(context, flags)));
  program
    .command('doctor')
    .description('look at machine, config and data folder; --log checks the whole log')
    .option('--log', 'schemas, gapless revisions and agent numbers, the database itself')
    .action(act((context, flags: { log?: boolean }) => runDoctor(context, flags)));
};
