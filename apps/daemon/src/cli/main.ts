import { readFileSync } from 'node:fs';
import { runCli } from './program.ts';

const version = (): string => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
};

/** The command line of this process. Answers the exit code. */
export const main = (argv: readonly string[]): Promise<number> =>
  runCli(argv, {
    env: process.env,
    cwd: process.cwd(),
    write: (text) => process.stdout.write(text),
    note: (text) => process.stderr.write(text),
    now: Date.now,
    version: version(),
  });
