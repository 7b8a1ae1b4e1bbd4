import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import pc from 'picocolors';
import type { LockstepEvent, MinimizeReport } from '@lockstep/engine';
import type { AppliedConfig } from '@lockstep/policy';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import type { CommandContext } from '../context.ts';
import { goodHistory } from '../histories/good-history.ts';
import { safeLine, show } from '../print.ts';
import type { Act } from '../program.ts';

interface MinimizeFlags {
  readonly call?: string;
  readonly file?: string;
  readonly out: string;
  readonly configVersion?: string;
  readonly right?: string;
}

const runMinimize = async (
  context: CommandContext,
  turn: string,
  flags: MinimizeFlags,
): Promise<ExitCode> => {
  const { minimize } = await import('@lockstep/engine');
  const events = await eventsOf(context, turn, flags);
  const under = await rightConfig(context, events, flags);
  const report = minimize(events, {
    turn,
    ...(under === null ? {} : { under }),
    ...(flags.call === undefined ? {} : { call: flags.call }),
    right: rightOf(flags.right),
  });
  const file = await written(context, report, flags.out);
  show(context.out, file === null ? report : { ...shortOf(report), file }, () =>
    minimizeText(report, file),
  );
  return report.outcome === 'minimized' ? exitCodes.ok : exitCodes.finding;
};

/** From a file, or from the log in the data folder: a daemon may be at work on it. */
const eventsOf = async (
  { settings }: CommandContext,
  turn: string,
  { file }: MinimizeFlags,
): Promise<readonly LockstepEvent[]> => {
  if (file !== undefined) return (await goodHistory(resolve(file), turn)).events;
  const { openRecordedLog } = await import('../../replay/histories/open-recorded-log.ts');
  const { gatherVersions } = await import('../../replay/bisect/gather-versions.ts');
  const log = openRecordedLog(settings.data);
  try {
    const events = await gatherVersions(log, turn);
    if (events.length > 0) return events;
    throw new CliError(exitCodes.usage, `there is no turn \`${turn}\`, see \`lockstep turns\``);
  } finally {
    log.close();
  }
};

/** The config that is right where the recorded one is the fault: an earlier version, or a file. */
const rightConfig = async (
  { settings }: CommandContext,
  events: readonly LockstepEvent[],
  { configVersion }: MinimizeFlags,
): Promise<AppliedConfig | null> => {
  const { recordingOf } = await import('@lockstep/engine');
  if (configVersion !== undefined) {
    const found = recordingOf(events).config({ version: Number(configVersion), digest: null });
    if (found.ok) return found.value;
    throw new CliError(
      exitCodes.usage,
      `config version \`${configVersion}\` is not in the history`,
    );
  }
  if (!settings.configNamed) return null;
  const { readOtherConfig } = await import('../../replay/read-other-config.ts');
  const host = events.find((event) => event.type === 'ConfigApplied')?.data.host;
  if (host === undefined)
    throw new CliError(exitCodes.finding, 'the history holds no config to compare with');
  const read = readOtherConfig(readFileSync(settings.config, 'utf8'), settings.config, host);
  if (read.ok) return read.applied;
  throw new CliError(
    exitCodes.usage,
    `\`${settings.config}\` has problems, see them with \`lockstep config check\``,
  );
};

const rightOf = (text: string | undefined): 'recorded' | 'replayed' => {
  if (text === undefined || text === 'replayed') return 'replayed';
  if (text === 'recorded') return 'recorded';
  throw new CliError(exitCodes.usage, `\`${text}\` is neither \`recorded\` nor \`replayed\``);
};

const written = async (
  { version }: CommandContext,
  report: MinimizeReport,
  out: string,
): Promise<string | null> => {
  if (report.outcome !== 'minimized') return null;
  const { historyText } = await import('@lockstep/engine');
  const { fileNameOf, replaceFile } = await import('../../replay/histories/replace-file.ts');
  const { turn, events, expected } = report;
  mkdirSync(resolve(out), { recursive: true });
  const file = join(resolve(out), `${fileNameOf(turn)}.min.jsonl`);
  const about = { build: version, of: 'turns', turns: [turn] } as const;
  const text = historyText(events, expected === null ? about : { ...about, expected });
  await replaceFile(file, (to) => to.writeFile(text));
  return file;
};

/** The report without what stands in the file. */
const shortOf = (report: MinimizeReport): object =>
  report.outcome === 'minimized' ? { ...report, events: report.events.length } : report;

const minimizeText = (report: MinimizeReport, file: string | null): string => {
  const turn = safeLine(report.turn);
  switch (report.outcome) {
    case 'minimized': {
      const { before, after, expected } = report;
      return [
        `${pc.green('minimized')} turn ${turn}: ${before.events} events to ${after.events}, config of ${before.configLines} lines to ${after.configLines}`,
        expected === null
          ? '  expected: every event as recorded'
          : `  expected: ${expected.verdict} \`${safeLine(expected.tool)}\` (call \`${safeLine(expected.call)}\`) by ${safeLine(expected.rule)}`,
        `  ${safeLine(file ?? '')}`,
      ].join('\n');
    }
    case 'does_not_diverge':
      return `${pc.yellow('does not diverge')} turn ${turn}: name the config that is right with \`--config\` or \`--config-version\``;
    case 'stopped':
      return `${pc.yellow('stopped')} turn ${turn}: ${safeLine(report.missing)} is not in the history`;
    case 'refused':
      return [
        `${pc.red('refused')} turn ${turn}: this is no history as it was recorded`,
        ...report.problems.map(
          ({ where, message }) => `  ${safeLine(where)}: ${safeLine(message)}`,
        ),
      ].join('\n');
  }
};

/** minimize. */
export const addMinimizeCommand = (program: Command, act: Act): void => {
  program
    .command('minimize')
    .description(
      'write the smallest history that diverges as a turn does, as a fixture with its expected verdict',
    )
    .argument('<turn>')
    .option('--file <history.jsonl>', 'a turn of an exported history')
    .option('--call <id>', 'the call that is meant')
    .option('--config-version <n>', 'the version that is right, where the recorded config is wrong')
    .option('--right <side>', '`replayed` (default), or `recorded` where this build is wrong')
    .option('--out <folder>', 'where the fixture is written', '.')
    .action(
      act((context, turn: string, flags: MinimizeFlags) => runMinimize(context, turn, flags)),
    );
};
