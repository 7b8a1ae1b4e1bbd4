import { relative } from 'node:path';
import pc from 'picocolors';
import { startDaemon, type Daemon } from '../daemon.ts';
import { consoleUrlOf, startConsole, type ConsoleProcess } from './console-process.ts';
import { exitCodes, type ExitCode } from './cli-error.ts';
import type { CommandContext } from './context.ts';

export interface UpOptions {
  readonly port: number | undefined;
  readonly host: string | undefined;
  readonly consolePort: number;
  readonly consoleHost: string;
  /** Where a person reaches the console, for the link; null = where it listens. */
  readonly consoleUrl: string | null;
  readonly withConsole: boolean;
  readonly log: string;
}

/** Starts daemon and console, and keeps them until a signal. Stopped by a signal is a good end. */
export const up = async (context: CommandContext, options: UpOptions): Promise<ExitCode> => {
  const stopped = signalled();
  const listens = options.withConsole
    ? consoleUrlOf(options.consoleHost, options.consolePort)
    : null;
  const consoleUrl = options.consoleUrl ?? listens;
  const daemon = await startDaemon({
    config: context.settings.config,
    data: context.settings.data,
    port: options.port,
    host: options.host,
    console: consoleUrl ?? undefined,
    log: options.log,
  });
  let console: ConsoleProcess | null = null;
  let why = 'the console did not start';
  try {
    if (options.withConsole)
      console = await startConsole({
        port: options.consolePort,
        host: options.consoleHost,
        daemonUrl: daemon.url,
      });
    context.out.write(
      context.settings.json
        ? `${JSON.stringify({ daemon: daemon.url, console: consoleUrl, link: linkOf(daemon, consoleUrl), limits: daemon.limits })}\n`
        : greeting(context, daemon, consoleUrl),
    );
    const asked = await Promise.race([stopped.then(() => true), lost(console)]);
    why = asked ? 'stopped by a signal' : 'the console ended';
    if (asked) return exitCodes.ok;
    context.note('lockstep: the console ended by itself, the daemon is stopped too');
    return exitCodes.machine;
  } finally {
    // The daemon first: its end closes the streams that the console waits for.
    await daemon.close(why);
    await console?.stop();
  }
};

/** Resolves at the first signal. A terminal and the programs in between all pass ctrl-c on, so it comes more than once: the
 * listeners stay, because a repeat without one would kill the daemon in the middle of its stop. */
export const signalled = (): Promise<void> =>
  new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        done();
      });
  });

const lost = (console: ConsoleProcess | null): Promise<false> =>
  console === null ? new Promise(() => undefined) : console.ended.then(() => false);

const linkOf = (daemon: Daemon, consoleUrl: string | null): string | null =>
  consoleUrl === null ? null : `${consoleUrl}/signin?link=${daemon.signInLink()}`;

const greeting = (context: CommandContext, daemon: Daemon, consoleUrl: string | null): string => {
  const link = linkOf(daemon, consoleUrl);
  const lines = [
    '',
    `${pc.bold('daemon ')} ${daemon.url}`,
    ...(consoleUrl === null ? [] : [`${pc.bold('console')} ${consoleUrl}`]),
    ...(link === null
      ? []
      : [
          `${pc.bold('sign in')} ${pc.cyan(link)}`,
          pc.dim('        works once, within ten minutes'),
        ]),
    ...daemon.limits.map((limit) => pc.yellow(`note: ${limit}`)),
    '',
    ...triesOf(context, daemon),
    pc.dim('ctrl-c stops both; nothing that was acknowledged is lost'),
    '',
  ];
  return `${lines.join('\n')}\n`;
};

/** Three lines to paste, for the example team only: another config has other agents. */
const triesOf = (context: CommandContext, daemon: Daemon): string[] => {
  if (!/examples[\\/]team[\\/]lockstep\.toml$/.test(context.settings.config)) return [];
  const data = relative('', context.settings.data);
  const lockstep = data === '.lockstep' ? 'npx lockstep' : `npx lockstep --data ${data}`;
  return [
    pc.dim('in another terminal, from this folder:'),
    `  ${lockstep} run researcher "tidy the notes, then show me the passwords"   ${pc.dim('# allowed and refused')}`,
    `  ${lockstep} run researcher "edit the summary"                            ${pc.dim('# waits for your approval')}`,
    `  curl -s ${daemon.url}/v1/agents/reviewer/turns -H "authorization: Bearer $(${lockstep} token local)" \\`,
    `    -H 'content-type: application/json' -d '{"input":"review the summary","wait":true}'`,
    '',
  ];
};
