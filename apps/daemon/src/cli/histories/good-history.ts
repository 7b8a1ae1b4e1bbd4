import type { LockstepEvent, ReadHistory } from '@lockstep/engine';
import { readHistoryFile } from '../../replay/histories/read-history-file.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { safeLine } from '../print.ts';

/** @throws CliError when the history holds nothing of the turn */
export const requireTurn = (events: readonly LockstepEvent[], turn: string): void => {
  if (events.some(({ stream }) => stream === `turn-${turn}`)) return;
  throw new CliError(exitCodes.usage, `the history holds no turn \`${safeLine(turn)}\``);
};

/** A history from a file.
 * @throws CliError when it cannot be read, is none as it was recorded, or does not hold the turn that is meant */
export const goodHistory = async (
  file: string,
  turn: string,
): Promise<Extract<ReadHistory, { readonly ok: true }>> => {
  let read: ReadHistory;
  try {
    read = await readHistoryFile(file);
  } catch (cause) {
    throw new CliError(exitCodes.usage, `\`${file}\` cannot be read, name an exported history`, {
      cause,
    });
  }
  if (read.ok) {
    requireTurn(read.events, turn);
    return read;
  }
  throw new CliError(
    exitCodes.finding,
    [
      `\`${file}\` is no history as it was recorded`,
      ...read.problems.map(({ where, message }) => `  ${safeLine(where)}: ${safeLine(message)}`),
    ].join('\n'),
  );
};
