import { resolve } from 'node:path';
import type { Command } from 'commander';
import pc from 'picocolors';
import type { VerdictSeen } from '@lockstep/engine';
import type { z } from 'zod';
import { bisectSchema } from '../../http/schemas/bisect.schema.ts';
import { exitCodes, type ExitCode } from '../cli-error.ts';
import { daemonClient, type CommandContext } from '../context.ts';
import { goodHistory } from '../histories/good-history.ts';
import { safeLine, show } from '../print.ts';
import type { Act } from '../program.ts';

interface BisectFlags {
  readonly call?: string;
  readonly file?: string;
}

type Shown = z.infer<typeof bisectSchema>;

const runBisect = async (
  context: CommandContext,
  turn: string,
  flags: BisectFlags,
): Promise<ExitCode> => {
  const call = flags.call === undefined ? {} : { call: callOf(flags.call) };
  const report = bisectSchema.parse(
    flags.file === undefined
      ? await daemonClient(context).send('POST', '/v1/bisects', { turn, ...call })
      : await inFile(flags.file, { turn, ...call }),
  );
  show(context.out, report, () => bisectText(report));
  return report.outcome === 'found' || report.outcome === 'not_config'
    ? exitCodes.ok
    : exitCodes.finding;
};

const inFile = async (file: string, ask: { readonly turn: string }): Promise<unknown> => {
  const { bisect } = await import('@lockstep/engine');
  const { events } = await goodHistory(resolve(file), ask.turn);
  return bisect(events, ask);
};

const callOf = (text: string): string | number => (/^\d{1,4}$/.test(text) ? Number(text) : text);

const bisectText = (report: Shown): string => {
  switch (report.outcome) {
    case 'found':
      return foundText(report);
    case 'not_config':
      return `${pc.yellow('not the config')} turn ${safeLine(report.turn)}, call ${safeLine(report.call)}: ${safeLine(report.why)}`;
    case 'stopped':
      return `${pc.yellow('stopped')} turn ${safeLine(report.turn)}: ${safeLine(report.missing)} is not in the history`;
    case 'refused':
      return [
        `${pc.red('refused')} turn ${safeLine(report.turn)}: this is no history as it was recorded`,
        ...report.problems.map(
          ({ where, message }) => `  ${safeLine(where)}: ${safeLine(message)}`,
        ),
      ].join('\n');
  }
};

const foundText = (report: Extract<Shown, { readonly outcome: 'found' }>): string => {
  const { before, after, keys, tool } = report;
  const when = new Date(after.time).toISOString();
  return [
    `${pc.green('found')} turn ${safeLine(report.turn)}, call ${safeLine(report.call)} of \`${safeLine(tool)}\``,
    `  version ${before.version}  ${verdictText(before.verdict)}`,
    `  version ${after.version}  ${verdictText(after.verdict)}, by ${safeLine(after.by)} at ${when}`,
    ...keys.flatMap((key) => [
      `  ${safeLine(key.path)}${key.setting === null ? '' : ` (${safeLine(key.setting)})`}`,
      `    before  ${safeLine(key.before ?? 'not there')}`,
      `    after   ${safeLine(key.after ?? 'not there')}`,
    ]),
  ].join('\n');
};

const verdictText = ({ verdict, rule }: Pick<VerdictSeen, 'verdict' | 'rule'>): string =>
  `${verdict} by ${safeLine(rule)}`;

/** bisect. */
export const addBisectCommand = (program: Command, act: Act): void => {
  program
    .command('bisect')
    .description('find the config version and the keys that flipped the verdict on a call')
    .argument('<turn>')
    .option('--call <call>', 'its id, or its place among the judged calls of the turn, from 1')
    .option('--file <history.jsonl>', 'a turn of an exported history, without a daemon')
    .action(act((context, turn: string, flags: BisectFlags) => runBisect(context, turn, flags)));
};
