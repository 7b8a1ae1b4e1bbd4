import { Option, type Command } from 'commander';
import pc from 'picocolors';
import { pathNames, settingKeys, type PathName, type SettingKey } from '@lockstep/policy';
import { parityBody, probesBody } from '../api.schema.ts';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import { daemonClient, type CommandContext } from '../context.ts';
import { colourOfState, show, table } from '../print.ts';
import type { Act } from '../program.ts';
import { findingsIn, isBad, type Finding } from '../parity/findings.ts';
import { junitOf } from '../parity/junit.ts';
import { sarifOf } from '../parity/sarif.ts';

interface Flags {
  readonly agent?: string;
  readonly path?: PathName;
  readonly strict?: boolean;
  readonly junit?: boolean;
  readonly sarif?: boolean;
  readonly record?: boolean;
  readonly setting?: SettingKey;
}

type Body = ReturnType<typeof parityBody.parse>;

/** The matrix of a running daemon, as its log shows it. */
const live = async (context: CommandContext, flags: Flags): Promise<ExitCode> => {
  const query = flags.agent === undefined ? '' : `?agent=${encodeURIComponent(flags.agent)}`;
  const body = parityBody.parse(await daemonClient(context).get(`/v1/parity${query}`));
  const paths = flags.path === undefined ? pathNames : [flags.path];
  const states = body.rows.flatMap((r) => paths.map((path) => r.cells[path]?.state ?? 'n/a'));
  show(context.out, body, () =>
    [matrixText(context, body, paths), ...body.missing.map(missingLine)].join('\n'),
  );
  const isFinding = (state: string): boolean => isBad(state, flags.strict === true);
  const isBroken = states.some(isFinding) || body.missing.length > 0;
  return isBroken ? exitCodes.finding : exitCodes.ok;
};

const missingLine = ({ agent, after, next }: Body['missing'][number]): string =>
  pc.red(`events of ${agent} are missing between its numbers ${after} and ${next}`);

const matrixText = (
  context: CommandContext,
  body: Body,
  paths: readonly PathName[] = pathNames,
): string => {
  const isNowhere = (row: Body['rows'][number]): boolean =>
    paths.every((path) => (row.cells[path]?.state ?? 'n/a') === 'n/a');
  const nowhere = body.rows.filter(isNowhere).length;
  const shown = body.rows.filter((row) => !isNowhere(row));
  const states = body.rows.flatMap((r) => paths.map((p) => r.cells[p]?.state ?? 'n/a'));
  const count = (is: (state: string) => boolean): number => states.filter(is).length;
  const gaps = count((state) => state === 'gap');
  return [
    table(
      ['setting', ...paths],
      shown.map((r) => [r.setting, ...paths.map((p) => colourOfState(r.cells[p]?.state ?? 'n/a'))]),
      context.out.columns,
    ),
    ...(nowhere === 0 ? [] : [`${nowhere} settings more apply to none of these paths`]),
    `${count((s) => s === 'enforced')} of ${count((s) => s !== 'n/a')} cells enforced, ${gaps} gaps`,
  ].join('\n');
};

const steps = 20;

/** Progress in pieces of a twentieth, on stderr. */
const progressIn = (context: CommandContext) => {
  let told = -1;
  return (done: number, of: number, what: string): void => {
    const reached = of === 0 ? steps : Math.floor((done * steps) / of);
    if (reached === told) return;
    told = reached;
    const bar = '█'.repeat(reached) + '░'.repeat(steps - reached);
    const percent = String(Math.round((reached * 100) / steps)).padStart(3);
    context.note(`${bar} ${percent} % ${pc.dim(what)}`);
  };
};

/** Tries every setting of a config in a daemon of its own, and shows what came of it. */
const probe = async (context: CommandContext, flags: Flags): Promise<ExitCode> => {
  const { runProbes } = await import('../../probe/run-probes.ts');
  const { config } = context.settings;
  const started = Date.now();
  const report = await runProbes({
    config,
    agent: flags.agent,
    path: flags.path,
    onProgress: progressIn(context),
  });
  if (flags.agent !== undefined && report.agents.length === 0)
    throw new CliError(exitCodes.usage, `no agent of \`${config}\` is called \`${flags.agent}\``);
  const findings = findingsIn(report.agents, flags.path);
  const strict = flags.strict === true;
  const bad = findings.filter(({ state }) => isBad(state, strict));
  const { turns, problems } = report;
  if (flags.junit === true) context.out.write(junitOf(findings, strict));
  else if (flags.sarif === true) context.out.write(sarifOf(bad, config));
  else
    show(context.out, { figure: report.matrix.figure, turns, problems, cells: findings }, () =>
      [
        matrixText(
          context,
          parityBody.parse(report.matrix),
          flags.path === undefined ? pathNames : [flags.path],
        ),
        ...badLines(bad),
        ...problems.map((problem) => pc.yellow(problem)),
        `${turns} probe turns in ${Math.round((Date.now() - started) / 1000)} s`,
      ].join('\n'),
    );
  const isFailed = bad.length > 0 || (strict && problems.length > 0);
  return isFailed ? exitCodes.finding : exitCodes.ok;
};

const badLines = (bad: readonly Finding[]): readonly string[] =>
  bad.map(({ agent, trigger, setting, state, reason }) => {
    const why = reason === null ? '' : `: ${reason}`;
    return `${colourOfState(state)} ${setting} of ${agent} over ${trigger}${why}`;
  });

/** Has the daemon try its config in force and record what that shows; then the matrix of its log. */
const record = async (context: CommandContext, flags: Flags): Promise<ExitCode> => {
  const client = daemonClient(context);
  const { agent, path, setting } = flags;
  let run = probesBody.parse(
    await client.send('POST', '/v1/parity/probes', { agent, path, setting }),
  );
  const tell = progressIn(context);
  while (run.status === 'running') {
    const { done: tried, of, what } = run.progress;
    if (of > 0) tell(tried, of, what);
    await new Promise((done) => setTimeout(done, askEveryMs));
    run = probesBody.parse(await client.get(`/v1/parity/probes/${run.id}`));
  }
  if (run.status === 'failed')
    throw new CliError(
      exitCodes.finding,
      `the probes failed: ${run.failure ?? 'no reason is known'}`,
    );
  context.note(`${run.tried} probe turns, ${run.recorded} of them recorded`);
  for (const problem of run.problems) context.note(pc.yellow(problem));
  return live(context, flags);
};

const askEveryMs = 250;

const parity = (context: CommandContext, flags: Flags): Promise<ExitCode> => {
  if (flags.record === true) {
    if (context.settings.configNamed)
      throw new CliError(
        exitCodes.usage,
        '`--record` probes the config in force of the running daemon, leave `--config` out',
      );
    return record(context, flags);
  }
  if (!context.settings.configNamed) {
    if (flags.junit === true || flags.sarif === true)
      throw new CliError(
        exitCodes.usage,
        '`--junit` and `--sarif` are made of probes, name a config with `--config`',
      );
    return live(context, flags);
  }
  return probe(context, flags);
};

/** parity. */
export const addParityCommand = (program: Command, act: Act): void => {
  program
    .command('parity')
    .description(
      'the matrix: every setting on every path; with --config, of probes that try to break each; exit 1 on a gap',
    )
    .option('--agent <alias>', 'one agent')
    .addOption(new Option('--path <path>', 'one path').choices(pathNames))
    .option('--strict', 'fail on held and unobserved too')
    .addOption(
      new Option(
        '--record',
        'have the daemon probe its config in force and keep what that shows in its log',
      ).conflicts(['junit', 'sarif']),
    )
    .addOption(
      new Option('--setting <key>', 'with --record: keep what shows this setting').choices(
        settingKeys,
      ),
    )
    .addOption(new Option('--junit', 'print JUnit XML').conflicts('sarif'))
    .addOption(new Option('--sarif', 'print SARIF').conflicts('junit'))
    .action(act((context, flags: Flags) => parity(context, flags)));
};
