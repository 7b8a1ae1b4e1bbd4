import type { ReadHistory } from '@lockstep/engine';
import { readHistoryFile } from '../../replay/histories/read-history-file.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { safe } from '../print.ts';

/** A history from a file.
 * @throws CliError when it cannot be read, or is none as it was recorded */
export const goodHistory = async (
  file: string,
): Promise<Extract<ReadHistory, { readonly ok: true }>> => {
  let read: ReadHistory;
  try {
    read = await readHistoryFile(file);
  } catch (cause) {
    throw new CliError(exitCodes.usage, `\`${file}\` cannot be read, name an exported history`, {
      cause,
    });
  }
  if (read.ok) return read;
  throw new CliError(
    exitCodes.finding,
    [
      `\`${file}\` is no history as it was recorded`,
      ...read.problems.map(({ where, message }) => `  ${safe(where)}: ${safe(message)}`),
    ].join('\n'),
  );
};
