import pc from 'picocolors';
import { enforcedKeys, type EnforcedKey } from '@lockstep/policy';
import { startDaemon } from '../../daemon.ts';
import { ApiClient, findDaemon } from '../client.ts';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import { startConsole } from '../console-process.ts';
import type { CommandContext } from '../context.ts';
import { show, table } from '../print.ts';
import { signalled } from '../up.ts';
import { layStage } from './stage.ts';
import { bitesOn, demoPaths, playPath, type DemoPath } from './play.ts';

export interface DemoOptions {
  readonly folder: string;
  readonly port: number;
  readonly consolePort: number;
  readonly withConsole: boolean;
  /** Ends when all is played, instead of waiting for ctrl-c. */
  readonly once: boolean;
}

/** What the demo found: how often each enforced setting acted, by path. */
export interface DemoReport {
  readonly bites: Readonly<Record<DemoPath, Readonly<Record<EnforcedKey, number>>>>;
  /** Settings that acted nowhere on some path. */
  readonly quiet: readonly { readonly path: DemoPath; readonly key: EnforcedKey }[];
  readonly turns: number;
}

/** Plays the demo on a daemon and console of its own, in a folder that it empties first. */
export const demo = async (context: CommandContext, options: DemoOptions): Promise<ExitCode> => {
  const stage = await layStage(options.folder);
  const daemon = await startDaemon({
    config: stage.config,
    data: stage.data,
    port: options.port,
    log: 'silent',
  });
  const page = options.withConsole
    ? await startConsole({ port: options.consolePort, host: '127.0.0.1', daemonUrl: daemon.url })
    : null;
  try {
    if (page !== null)
      context.note(`watch it here: ${pc.cyan(`${page.url}/signin?link=${daemon.signInLink()}`)}`);
    const client = clientOf(context, stage.data);
    const report = await playAll(context, client);
    show(context.out, report, () => summary(report));
    if (!options.once) await untilStopped(context);
    return report.quiet.length === 0 ? exitCodes.ok : exitCodes.finding;
  } finally {
    await daemon.close('the demo ended');
    await page?.stop();
    await stage.close();
  }
};

const clientOf = (context: CommandContext, data: string): ApiClient => {
  const address = findDaemon({ ...context.settings, data, url: null, token: null });
  if (address === null) throw new CliError(exitCodes.machine, 'the demo daemon left no address');
  return new ApiClient(address);
};

const playAll = async (context: CommandContext, client: ApiClient): Promise<DemoReport> => {
  let turns = 0;
  const paths = Object.keys(demoPaths) as DemoPath[];
  const bites: Partial<Record<DemoPath, Readonly<Record<EnforcedKey, number>>>> = {};
  for (const path of paths) {
    context.note(pc.bold(path));
    await playPath(client, path, (scenario, answer) => {
      turns += 1;
      context.note(
        `  ${scenario.agent}: ${scenario.input} ${pc.dim(`→ ${answer.status}${answer.reason === null ? '' : `, ${answer.reason}`}`)}`,
      );
    });
    bites[path] = await bitesOn(client, path);
  }
  const all = bites as Record<DemoPath, Readonly<Record<EnforcedKey, number>>>;
  const quiet = paths.flatMap((path) =>
    enforcedKeys.filter((key) => all[path][key] === 0).map((key) => ({ path, key })),
  );
  return { bites: all, quiet, turns };
};

const summary = (report: DemoReport): string => {
  const paths = Object.keys(demoPaths) as DemoPath[];
  const rows = enforcedKeys.map((key) => [
    key,
    ...paths.map((path) => {
      const n = report.bites[path][key];
      return n === 0 ? pc.yellow('○ never') : pc.green(`● ${n} time${n === 1 ? '' : 's'}`);
    }),
  ]);
  const acted = enforcedKeys.length * paths.length - report.quiet.length;
  return [
    table(['setting', ...paths], rows),
    `${report.turns} turns; ${acted} of ${enforcedKeys.length * paths.length} settings times paths acted at least once`,
    'the console shows the worst over all agents: choose one above its matrix to see what it enforced',
  ].join('\n');
};

/** Resolves at ctrl-c. */
export const untilStopped = (context: CommandContext): Promise<void> => {
  context.note(pc.dim('ctrl-c ends the demo'));
  return signalled();
};
