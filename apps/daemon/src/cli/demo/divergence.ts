import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pc from 'picocolors';
import { parseEvent, type LockstepEvent, type NewEvent } from '@lockstep/engine';
import { systemClock } from '../../adapters/clock/system-clock.ts';
import { startDaemon } from '../../daemon.ts';
import { openSqliteLog } from '../../store/sqlite/sqlite-log.ts';
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

/** Writes a recorded history into an empty log, event by event as it was. Answers how many.
 * @throws CliError when a line is no event or the log does not take it */
export const layHistory = async (file: string, data: string): Promise<number> => {
  const events = readHistory(file);
  mkdirSync(data, { recursive: true });
  const { store } = await openSqliteLog({ folder: data, clock: systemClock });
  try {
    for (const event of events) {
      const expected = event.revision === 0 ? 'no-stream' : event.revision - 1;
      const done = await store.append(event.stream, [asNew(event)], expected);
      if (!done.ok)
        throw new CliError(
          exitCodes.finding,
          `the history does not fit: \`${event.stream}\` at revision ${event.revision} (${done.reason})`,
        );
    }
    return events.length;
  } finally {
    await store.close();
  }
};

const readHistory = (file: string): LockstepEvent[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => {
      const read = parseEvent(JSON.parse(line));
      if (read.ok) return read.event;
      const [problem] = read.problems;
      throw new CliError(
        exitCodes.finding,
        `line ${index + 1} of \`${file}\` is no event: ${problem?.where ?? ''} ${problem?.message ?? ''}`,
      );
    });

/** The store stamps position, time, agent number and epoch anew. */
const asNew = (event: LockstepEvent): NewEvent => {
  const { agentSeq: _seq, epoch: _epoch, ...meta } = event.meta;
  const { type, data, id, schema } = event;
  return { type, data, id, schema, meta } as NewEvent;
};
