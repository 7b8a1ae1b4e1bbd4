import { InvalidConfigError } from './config/config-problem.ts';
import { StoreError } from './store/store-error.ts';

/** Why a daemon did not start, with the exit code of the command: 2 the config, 4 the machine. */
export class StartError extends Error {
  readonly exitCode: 2 | 4;

  constructor(exitCode: 2 | 4, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Classifies what a start threw, in one place. What nobody expected is passed on as it is. */
export const startError = (
  thrown: unknown,
  at: { readonly host: string; readonly port: number },
) => {
  if (thrown instanceof StartError) return thrown;
  if (thrown instanceof InvalidConfigError)
    return new StartError(2, thrown.message, { cause: thrown });
  if (thrown instanceof StoreError) return new StartError(4, thrown.message, { cause: thrown });
  const code = systemCode(thrown);
  const cause = { cause: thrown };
  if (code === 'EADDRINUSE')
    return new StartError(
      4,
      `port ${at.port} of \`${at.host}\` is in use, stop what holds it or choose another with \`--port\``,
      cause,
    );
  if (code === null || !machineCodes.has(code)) return thrown;
  return new StartError(
    4,
    `this machine does not let the daemon start (${code}): ${messageOf(thrown)}`,
    cause,
  );
};

/** What the system says when a folder, a disk or an address is not to be had. */
const machineCodes: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
]);

const systemCode = (thrown: unknown): string | null =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : null;

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
