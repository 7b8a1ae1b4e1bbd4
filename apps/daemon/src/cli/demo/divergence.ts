import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pc from 'picocolors';
import { systemClock } from '../../adapters/clock/system-clock.ts';
import { startDaemon } from '../../daemon.ts';
import { layHistory as importHistory } from '../../replay/import/lay-history.ts';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import { startConsole } from '../console-process.ts';
import type { CommandContext } from '../context.ts';
import { untilStopped, type DemoOptions } from './demo.ts';

const example = fileURLToPath(new URL('../../../../../examples/divergence', import.meta.url));

/** Shows a recorded history of a path that bypassed the seam, in a data folder of its own: the matrix has a red cell. */
export const divergence = async (
  context: CommandContext,
  options: DemoOptions,
): Promise<ExitCode> => {
  rmSync(options.folder, { recursive: true, force: true });
  mkdirSync(options.folder, { recursive: true });
  cpSync(example, join(options.folder, 'config'), { recursive: true });
  const data = join(options.folder, 'data');
  const events = await layHistory(join(example, 'history.jsonl'), data);
  const daemon = await startDaemon({
    config: join(options.folder, 'config', 'lockstep.toml'),
    data,
    port: options.port,
    log: 'silent',
  });
  try {
    const page = options.withConsole
      ? await startConsole({ port: options.consolePort, host: '127.0.0.1', daemonUrl: daemon.url })
      : null;
    try {
      context.note(`a recorded history of ${events} events lies in ${data}`);
      context.note(
        'in it, the loop path ran `clerk` without its denied list: row tools.denied, column loop',
      );
      if (page !== null)
        context.note(`look here: ${pc.cyan(`${page.url}/signin?link=${daemon.signInLink()}`)}`);
      else context.note(`ask it: lockstep --data ${data} parity`);
      if (!options.once) await untilStopped(context);
      return exitCodes.ok;
    } finally {
      await daemon.close('the demo ended');
      await page?.stop();
    }
  } finally {
    await daemon.close('the demo ended');
  }
};

/** Makes a read-only log of a recorded history, as `lockstep import` does. Answers how many events it holds.
 * @throws CliError when it is no history as it was recorded */
export const layHistory = async (file: string, data: string): Promise<number> => {
  const done = await importHistory(file, data, { clock: systemClock });
  if (done.ok) return done.note.events;
  const why =
    done.reason === 'not_empty'
      ? `\`${data}\` is not empty`
      : done.problems.map(({ where, message }) => `${where}: ${message}`).join('; ');
  throw new CliError(exitCodes.finding, `the history \`${file}\` does not fit: ${why}`);
};
