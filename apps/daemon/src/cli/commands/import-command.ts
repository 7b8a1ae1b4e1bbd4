import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import pc from 'picocolors';
import { systemClock } from '../../adapters/clock/system-clock.ts';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import type { CommandContext } from '../context.ts';
import { safeLine, show } from '../print.ts';
import type { Act } from '../program.ts';

const runImport = async (context: CommandContext, file: string): Promise<ExitCode> => {
  const { layHistory } = await import('../../replay/import/lay-history.ts');
  const { saidOfNote } = await import('../../store/imported-note.ts');
  const { data } = context.settings;
  const done = await layHistory(resolve(file), data, { clock: systemClock }).catch(
    unreadable(file),
  );
  if (!done.ok && done.reason === 'not_empty')
    throw new CliError(
      exitCodes.usage,
      `\`${data}\` is not empty (\`${done.found}\` lies in it): name a folder of its own for the history with \`--data\``,
    );
  if (!done.ok) {
    const { problems } = done;
    show(context.out, { outcome: 'refused', problems }, () =>
      [
        `${pc.red('refused')} ${safeLine(file)}: this is no history as it was recorded, and nothing was imported`,
        ...problems.map(({ where, message }) => `  ${safeLine(where)}: ${safeLine(message)}`),
      ].join('\n'),
    );
    return exitCodes.finding;
  }
  const { note } = done;
  const named = relative('', data);
  show(context.out, { outcome: 'imported', data, ...note }, () =>
    [
      `${note.events} events lie in ${data}: ${saidOfNote(note)}`,
      'the log is read-only until `lockstep adopt`',
      `look at it: ${pc.cyan(`npx lockstep --data ${named === '' ? '.' : named} up`)}`,
    ].join('\n'),
  );
  return exitCodes.ok;
};

const unreadable =
  (file: string) =>
  (cause: unknown): never => {
    if ((cause as NodeJS.ErrnoException | null)?.code !== 'ENOENT') throw cause;
    throw new CliError(exitCodes.usage, `\`${file}\` cannot be read, name an exported history`, {
      cause,
    });
  };

/** import. */
export const addImportCommand = (program: Command, act: Act): void => {
  program
    .command('import')
    .description('make a read-only log of an exported history, in an empty data folder')
    .argument('<history.jsonl>')
    .action(act((context, file: string) => runImport(context, file)));
};
