import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Command } from 'commander';
import { socketNames } from '../../paths/rpc/socket-names.ts';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import { withDaemon, type CommandContext } from '../context.ts';
import type { Act } from '../program.ts';

/** Hands what an editor says to the daemon, and what the daemon says to the editor. Nothing else is written to stdout. */
const speak = (socket: Socket, agent: string): Promise<ExitCode> =>
  new Promise((done, failed) => {
    let isOver = false;
    const lost = (): void => {
      process.stdin.unpipe(socket);
      process.stdin.pause();
      if (isOver) done(exitCodes.ok);
      else failed(new CliError(exitCodes.unreachable, 'the daemon ended the connection'));
    };
    socket.once('error', lost);
    socket.once('close', lost);
    process.stdin.once('end', () => {
      isOver = true;
    });
    socket.write(`${JSON.stringify({ agent })}\n`);
    process.stdin.pipe(socket);
    socket.pipe(process.stdout, { end: false });
  });

const connected = (path: string): Promise<Socket> =>
  new Promise((done, failed) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once('connect', () => {
      done(socket);
    });
    socket.once('error', (cause) => {
      const why = `the daemon has no socket at \`${path}\`: its log says why`;
      failed(new CliError(exitCodes.unreachable, why, { cause }));
    });
  });

const acp = async (context: CommandContext, agent: string): Promise<ExitCode> => {
  if (context.settings.url !== null)
    throw new CliError(
      exitCodes.usage,
      'acp speaks to the daemon of a data folder of this machine, leave out `--url` and `LOCKSTEP_URL`',
    );
  return withDaemon(context, async () =>
    speak(await connected(join(context.settings.data, socketNames.acp)), agent),
  );
};

/** acp. */
export const addAcpCommand = (program: Command, act: Act): void => {
  program
    .command('acp')
    .description('speak the agent client protocol on stdin and stdout, for an editor')
    .requiredOption('--agent <alias>', 'the agent that the editor speaks to')
    .action(act((context, flags: { agent: string }) => acp(context, flags.agent)));
};
