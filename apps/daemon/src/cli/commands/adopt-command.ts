import type { Command } from 'commander';
import { z } from 'zod';
import { exitCodes, CliError, type ExitCode } from '../cli-error.ts';
import { findDaemon } from '../client.ts';
import { daemonClient, type CommandContext } from '../context.ts';
import { show } from '../print.ts';
import type { Act } from '../program.ts';

const adoptionBody = z.looseObject({
  foreign: z.looseObject({ why: z.string(), host: z.string() }).nullable(),
  open: z.record(z.string(), z.number()),
});
type Adoption = z.infer<typeof adoptionBody>;

interface AdoptFlags {
  yes?: boolean;
}

const names: Readonly<Record<string, string>> = {
  turns: 'open turns',
  messages: 'messages whose turn has not begun',
  waiting: 'requests that wait for a person',
  replies: 'replies that were not delivered',
  procedures: 'open runs of procedures',
};

const said = ({ foreign, open }: Adoption): string =>
  [
    foreign === null
      ? "the log is this machine's own: there is nothing to take over"
      : `the log ${foreign.host === 'unknown' ? '' : `of \`${foreign.host}\` `}is read-only: ${foreign.why}`,
    ...Object.entries(open).map(([name, count]) => `  ${count} ${names[name] ?? name}`),
  ].join('\n');

const adopt = async (context: CommandContext, flags: AdoptFlags): Promise<ExitCode> => {
  if (findDaemon(context.settings) === null)
    throw new CliError(
      exitCodes.unreachable,
      'no daemon runs on this data folder: start it with `lockstep up`, it opens the log read-only',
    );
  const client = daemonClient(context);
  const found = adoptionBody.parse(await client.get('/v1/adopt'));
  if (found.foreign === null) {
    show(context.out, { adopted: false, ...found }, () => said(found));
    return exitCodes.ok;
  }
  if (flags.yes !== true) {
    show(context.out, { adopted: false, ...found }, () =>
      [
        said(found),
        '',
        'all of that goes on here once you take the log over. Where the machine that it comes from still runs, it goes on there too.',
        'missed times of jobs are skipped. Take it over with `lockstep adopt --yes`',
      ].join('\n'),
    );
    return exitCodes.finding;
  }
  await client.send('POST', '/v1/adopt');
  await comesBack(client.url);
  show(
    context.out,
    { adopted: true, ...found },
    () => `the log is taken over\n${said({ ...found, foreign: found.foreign })}`,
  );
  return exitCodes.ok;
};

const boundMs = 60_000;

/** The daemon starts again on its address: it is back when it takes work. */
const comesBack = async (url: string): Promise<void> => {
  const end = performance.now() + boundMs;
  while (performance.now() < end) {
    const ready = await fetch(new URL('/readyz', url)).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new CliError(
    exitCodes.unreachable,
    'the daemon did not come back within a minute: look at its log',
  );
};

/** adopt. */
export const addAdoptCommand = (program: Command, act: Act): void => {
  program
    .command('adopt')
    .description('take over a log that was restored or copied: what is open in it goes on here')
    .option('--yes', 'do it; absent = only say what would go on')
    .action(act((context, flags: AdoptFlags) => adopt(context, flags)));
};
