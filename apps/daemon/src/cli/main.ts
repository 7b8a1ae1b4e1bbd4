import { readFileSync } from 'node:fs';
import { runCli } from './program.ts';

const version = (): string => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
};

/** A reader that went away, as `head` does, has read all it wants: that is no crash, and what the command finds it still says by its
 * exit code. What would go on for ever hears of it. */
const goesOnWithout = (stream: NodeJS.WriteStream, gone: () => void): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    gone();
  });
};

/** The command line of this process. Answers the exit code. */
export const main = (argv: readonly string[]): Promise<number> => {
  const reader = new AbortController();
  goesOnWithout(process.stdout, () => {
    reader.abort();
  });
  goesOnWithout(process.stderr, () => undefined);
  return runCli(argv, {
    env: process.env,
    cwd: process.cwd(),
    write: (text) => process.stdout.write(text),
    note: (text) => process.stderr.write(text),
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    now: Date.now,
    version: version(),
    readerGone: reader.signal,
  });
};
