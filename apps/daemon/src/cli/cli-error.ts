/** Exit codes of the command line. */
export const exitCodes = {
  ok: 0,
  /** A finding: a gap, a refused turn, a failed check. */
  finding: 1,
  /** Wrong words or a wrong config. */
  usage: 2,
  /** The daemon does not answer. */
  unreachable: 3,
  /** The machine: folder locked, port in use, disk, store. */
  machine: 4,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends a command with a message on stderr: what happened, where, what to do. */
export class CliError extends Error {
  readonly code: ExitCode;
  constructor(code: ExitCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CliError';
    this.code = code;
  }
}
