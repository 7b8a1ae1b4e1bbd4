import { ApiClient, findDaemon } from './client.ts';
import { CliError, exitCodes } from './cli-error.ts';
import type { Out } from './print.ts';
import type { CliSettings } from './settings.ts';

/** What a command works with. */
export interface CommandContext {
  readonly settings: CliSettings;
  readonly out: Out;
  /** Progress and warnings: stderr. */
  readonly note: (text: string) => void;
  readonly now: () => number;
  /** Of this build. */
  readonly version: string;
  /** Whoever read the output has gone: a command that would print for ever ends. */
  readonly readerGone: AbortSignal;
}

/** A client of the running daemon.
 * @throws CliError (3) when none runs on this data folder and none is named */
export const daemonClient = (context: CommandContext): ApiClient => {
  const address = findDaemon(context.settings);
  if (address === null)
    throw new CliError(
      exitCodes.unreachable,
      `no daemon runs on \`${context.settings.data}\`, start one with \`lockstep up\` or name it with \`LOCKSTEP_URL\``,
    );
  return new ApiClient(address);
};

/** Runs work against the running daemon, or against one that lives in this process as long as the work does. */
export const withDaemon = async <T>(
  context: CommandContext,
  work: (client: ApiClient) => Promise<T>,
): Promise<T> => {
  const address = findDaemon(context.settings);
  if (address !== null) return work(new ApiClient(address));
  const { startDaemon } = await import('../daemon.ts');
  context.note(`no daemon runs on \`${context.settings.data}\`, starting one for this command`);
  const daemon = await startDaemon({
    config: context.settings.config,
    data: context.settings.data,
    port: 0,
    log: 'silent',
  });
  try {
    const local = findDaemon(context.settings);
    if (local === null)
      throw new CliError(exitCodes.machine, 'the daemon started but left no local address');
    return await work(new ApiClient(local));
  } finally {
    await daemon.close('command ended');
  }
};
