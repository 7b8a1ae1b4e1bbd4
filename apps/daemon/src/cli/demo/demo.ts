import pc from 'picocolors';
import { probeSandbox } from '../../adapters/sandbox/bubblewrap.ts';
import { startDaemon } from '../../daemon.ts';
import { ApiClient, findDaemon } from '../client.ts';
import { listOf, turnRow } from '../api.schema.ts';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import { startConsole } from '../console-process.ts';
import type { CommandContext } from '../context.ts';
import { show } from '../print.ts';
import { signalled } from '../up.ts';
import { Player, type Played } from './play.ts';
import { cellsOf, shownCells, type DemoCell } from './report.ts';
import { scenarios } from './scenarios.ts';
import { layStage, type Stage } from './stage.ts';
import type { WayParts } from './way.ts';

export interface DemoOptions {
  readonly folder: string;
  readonly port: number;
  readonly consolePort: number;
  readonly withConsole: boolean;
  /** Ends when all is played, instead of waiting for ctrl-c. */
  readonly once: boolean;
}

/** What the demo found: what each setting came to on each path. */
export interface DemoReport {
  readonly cells: readonly DemoCell[];
  /** Turns in the log, those of the lead included. */
  readonly turns: number;
  readonly seconds: number;
  /** Work that could not be asked for on some path. */
  readonly problems: readonly string[];
}

/** Plays the demo on a daemon and console of its own, in a folder that it empties first. */
export const demo = async (context: CommandContext, options: DemoOptions): Promise<ExitCode> => {
  const stage = await layStage(options.folder);
  try {
    return await playOn(stage, context, options);
  } finally {
    await stage.close();
  }
};

const playOn = async (
  { config, data }: Stage,
  context: CommandContext,
  options: DemoOptions,
): Promise<ExitCode> => {
  const daemon = await startDaemon({ config, data, port: options.port, log: 'silent' });
  let page: Awaited<ReturnType<typeof startConsole>> | null = null;
  try {
    if (options.withConsole) {
      const host = '127.0.0.1';
      page = await startConsole({ port: options.consolePort, host, daemonUrl: daemon.url });
      context.note(`watch it here: ${pc.cyan(`${page.url}/signin?link=${daemon.signInLink()}`)}`);
    }
    const report = await playAll(context, partsOf(context, data));
    show(context.out, report, () => summary(report));
    if (!options.once) await untilStopped(context);
    const gap = report.cells.some(({ state }) => state === 'gap');
    return gap || report.problems.length > 0 ? exitCodes.finding : exitCodes.ok;
  } finally {
    await daemon.close('the demo ended');
    await page?.stop();
  }
};

const partsOf = (context: CommandContext, data: string): WayParts => {
  const address = findDaemon({ ...context.settings, data, url: null, token: null });
  if (address === null) throw new CliError(exitCodes.machine, 'the demo daemon left no address');
  return { client: new ApiClient(address), address, data };
};

const playAll = async (context: CommandContext, parts: WayParts): Promise<DemoReport> => {
  const sandbox = await probeSandbox();
  if (!sandbox.ok)
    context.note(
      pc.yellow(`commands and tool servers are refused, so less can act: ${sandbox.reason}`),
    );
  const begun = Date.now();
  const player = new Player(parts);
  const problems: string[] = [];
  const tell = (what: string, played: readonly Played[]): void => {
    context.note(`${pc.bold(what)}  ${played.map((one) => shownEnd(one)).join(pc.dim(' · '))}`);
    for (const { path, trigger, problem } of played)
      if (problem !== null) problems.push(`${what} on ${path} (${trigger}): ${problem}`);
  };
  for (const scenario of scenarios)
    tell(`${scenario.agent}: ${scenario.input}`, await player.play(scenario));
  for (const { job, ...played } of await player.playJobs()) tell(`job ${job}`, [played]);
  const cells = await cellsOf(parts.client);
  const turns = await turnsIn(parts.client);
  return { cells, turns, seconds: Math.round((Date.now() - begun) / 1000), problems };
};

const shownEnd = ({ trigger, status, reason, problem }: Played): string => {
  if (problem !== null) return pc.red(`${trigger}: ${problem}`);
  const [key] = /[a-z]+\.[a-z_]+/.exec(reason ?? '') ?? [];
  return `${trigger} ${pc.dim(key === undefined ? status : `${status} by ${key}`)}`;
};

const turnsIn = async (client: ApiClient): Promise<number> => {
  let count = 0;
  let cursor: string | null = null;
  do {
    const from: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = listOf(turnRow).parse(await client.get(`/v1/turns?limit=500${from}`));
    count += page.items.length;
    cursor = page.next;
  } while (cursor !== null);
  return count;
};

const summary = ({ cells, turns, seconds, problems }: DemoReport): string =>
  [
    shownCells(cells),
    ...problems.map((problem) => pc.red(`not played: ${problem}`)),
    `${turns} turns in ${seconds} s`,
    'the console shows the worst over all agents: choose one above its matrix to see what it enforced',
  ].join('\n');

/** Resolves at ctrl-c. */
export const untilStopped = (context: CommandContext): Promise<void> => {
  context.note(pc.dim('ctrl-c ends the demo'));
  return signalled();
};
