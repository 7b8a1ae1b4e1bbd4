import { readFileSync } from 'node:fs';
import { exitCodes } from './cli-error.ts';
import { runCli } from './program.ts';

const version = (): string => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
};

/** A reader that went away, as `head` does, has read all it wants: that is a good end, and no crash. */
const endWithReader = (stream: NodeJS.WriteStream): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(exitCodes.ok);
  });
};

/** The command line of this process. Answers the exit code. */
export const main = (argv: readonly string[]): Promise<number> => {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  return runCli(argv, {
    env: process.env,
    cwd: process.cwd(),
    write: (text) => process.stdout.write(text),
    note: (text) => process.stderr.write(text),
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    now: Date.now,
    version: version(),
  });
};
