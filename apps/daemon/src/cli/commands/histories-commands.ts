import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import pc from 'picocolors';
import { formatProblem, pathNames, type Config, type Host, type PathName } from '@lockstep/policy';
import type { ExportedHistories } from '../../replay/histories/export-histories.ts';
import type { HistoryCheck } from '../../replay/histories/verify-histories.ts';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import type { CommandContext } from '../context.ts';
import { checkLine, count, verifySum } from '../histories/check-text.ts';
import { junitOfChecks } from '../histories/junit.ts';
import { sinceOf } from '../histories/since.ts';
import { safeLine, show } from '../print.ts';
import type { Act } from '../program.ts';

interface ExportFlags {
  readonly agent?: string;
  readonly since?: string;
  readonly path?: string;
  readonly turn?: readonly string[];
  readonly all?: boolean;
  readonly out: string;
}

const exportAll = async (context: CommandContext, flags: ExportFlags): Promise<ExitCode> => {
  const { exportLog, exportToFile, exportToFolder } =
    await import('../../replay/histories/export-histories.ts');
  const { openRecordedLog } = await import('../../replay/histories/open-recorded-log.ts');
  const choice = {
    ...(flags.agent === undefined ? {} : { agent: flags.agent }),
    ...(flags.path === undefined ? {} : { path: pathOf(flags.path) }),
    ...(flags.since === undefined ? {} : { since: sinceOf(flags.since, context.now()) }),
    ...(flags.turn === undefined ? {} : { turns: flags.turn }),
  };
  const chosen = Object.keys(choice).length > 0;
  if (chosen === (flags.all === true))
    throw new CliError(
      exitCodes.usage,
      'say which turns: `--turn`, `--agent`, `--path` or `--since`, or `--all` alone',
    );
  const log = openRecordedLog(context.settings.data);
  try {
    const out = resolve(flags.out);
    const options = { build: context.version, choice };
    const done = !out.endsWith('.jsonl')
      ? await exportToFolder(log, out, options)
      : chosen
        ? await exportToFile(log, out, options)
        : await exportLog(log, out, context.version);
    for (const turn of done.unknown)
      context.note(`lockstep: there is no turn \`${safeLine(turn)}\``);
    if (done.files.length === 0 && done.unknown.length === 0)
      context.note(`lockstep: ${whyNone(done, flags)}, nothing was written`);
    if (done.files.length > 0 || context.out.json)
      show(context.out, done, () => exportedText(done, out));
    return done.unknown.length > 0 || done.files.length === 0 ? exitCodes.usage : exitCodes.ok;
  } finally {
    log.close();
  }
};

const whyNone = ({ open }: ExportedHistories, { agent }: ExportFlags): string => {
  if (open.length > 0)
    return `no turn that was meant has ended (${count(open.length, 'turn')} open)`;
  return agent === undefined
    ? 'the log holds no such turn'
    : `the log holds no such turn of an agent \`${safeLine(agent)}\``;
};

const pathOf = (text: string): PathName => {
  const found = pathNames.find((name) => name === text);
  if (found !== undefined) return found;
  throw new CliError(exitCodes.usage, `\`${text}\` is no path, use ${pathNames.join(', ')}`);
};

const exportedText = ({ files, open }: ExportedHistories, out: string): string => {
  const turns = files.reduce((sum, file) => sum + file.turns, 0);
  const events = files.reduce((sum, file) => sum + file.events, 0);
  const left =
    open.length === 0
      ? []
      : [
          `${count(open.length, 'turn')} ${open.length === 1 ? 'has not ended and is' : 'have not ended and are'} left out`,
        ];
  return [
    `${files.length} ${files.length === 1 ? 'history' : 'histories'} in ${safeLine(out)}: ${count(turns, 'turn')}, ${count(events, 'event')}`,
    ...left,
  ].join('\n');
};

const verify = async (
  context: CommandContext,
  place: string,
  flags: { readonly junit?: string },
): Promise<ExitCode> => {
  const { historyFilesIn, isGood, shownName, verifyHistory } =
    await import('../../replay/histories/verify-histories.ts');
  const root = resolve(place);
  const files = filesOf(place, () => historyFilesIn(root));
  const config = context.settings.configNamed ? await namedConfig(context) : undefined;
  const checks: HistoryCheck[] = [];
  for (const file of files) {
    const checked = await verifyHistory(file, config === undefined ? {} : { config });
    const check = { ...checked, file: shownName(root, file) };
    checks.push(check);
    if (!context.out.json) context.out.write(`${checkLine(check)}\n`);
  }
  if (flags.junit !== undefined) writeFileSync(resolve(flags.junit), junitOfChecks(checks));
  const good = checks.every(isGood);
  if (context.out.json) show(context.out, { good, histories: checks }, () => '');
  else context.out.write(`${good ? pc.green('●') : pc.red('✕')} ${verifySum(checks)}\n`);
  return good ? exitCodes.ok : exitCodes.finding;
};

const filesOf = (place: string, read: () => readonly string[]): readonly string[] => {
  let files: readonly string[];
  try {
    files = read();
  } catch (cause) {
    throw new CliError(exitCodes.usage, `\`${place}\` cannot be read, name a folder of histories`, {
      cause,
    });
  }
  if (files.length > 0) return files;
  throw new CliError(exitCodes.usage, `\`${place}\` holds no history (\`*.jsonl\`)`);
};

/** The config that fixtures are to be held to, in the place of their own, as the machine of each would read it.
 * @throws CliError with every problem */
const namedConfig = async ({ settings }: CommandContext): Promise<(host: Host) => Config> => {
  const { readOtherConfig } = await import('../../replay/read-other-config.ts');
  const { hostOf } = await import('../../config/host.ts');
  const { config: file, data } = settings;
  const text = readText(file);
  const under = (host: Host): Config => {
    const read = readOtherConfig(text, file, host);
    if (read.ok) return read.applied.config;
    const lines = read.problems.map((problem) => `\n  ${safeLine(formatProblem(file, problem))}`);
    throw new CliError(
      exitCodes.usage,
      `no fixture is held to a config with problems${lines.join('')}`,
    );
  };
  under(hostOf(file, data));
  return under;
};

const readText = (file: string): string => {
  try {
    return readFileSync(resolve(file), 'utf8');
  } catch (cause) {
    throw new CliError(exitCodes.usage, `cannot read the config file \`${file}\``, { cause });
  }
};

const collect = (one: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  one,
];

/** histories export, histories verify. */
export const addHistoriesCommands = (program: Command, act: Act): void => {
  const histories = program
    .command('histories')
    .description('recorded turns as files that stand by themselves');
  histories
    .command('export')
    .description('write turns of the log in the data folder, with all that they cite')
    .option('--turn <id>', 'a turn, may be repeated', collect)
    .option('--agent <alias>')
    .option('--path <path>')
    .option('--since <time>', 'as 30d, 12h, or a date')
    .option('--all', 'the whole log')
    .requiredOption('--out <place>', 'a folder, one file for each turn, or one file `*.jsonl`')
    .action(act((context, flags: ExportFlags) => exportAll(context, flags)));
  histories
    .command('verify')
    .description(
      'replay every history of a folder; exit 1 when one differs. With --config, fixtures are held to that config',
    )
    .argument('<folder>')
    .option('--junit <file>', 'write the results as JUnit XML too')
    .action(
      act((context, place: string, flags: { readonly junit?: string }) =>
        verify(context, place, flags),
      ),
    );
};
