import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError, exitCodes } from './cli-error.ts';

/** The console as a process of its own. */
export interface ConsoleProcess {
  readonly url: string;
  /** Resolves when it ended by itself. */
  readonly ended: Promise<number | null>;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const folder = join(root, 'apps', 'console');
const endWithParent = new URL('../../bin/end-with-parent.mjs', import.meta.url);
const startWithinMs = 30_000;
const stopWithinMs = 3_000;

/** Where a console that listens there is reached from this machine. */
export const consoleUrlOf = (host: string, port: number): string =>
  `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;

/** Starts `next start` of the built console.
 * @throws CliError when it is not built, its port is in use, or it does not come up */
export const startConsole = async (options: {
  readonly port: number;
  readonly host: string;
  readonly daemonUrl: string;
}): Promise<ConsoleProcess> => {
  if (!existsSync(join(folder, '.next', 'BUILD_ID')))
    throw new CliError(
      exitCodes.usage,
      'the console is not built, run `npm run up` or `npm run build`',
    );
  await requireFreePort(options.port, options.host);
  const next = join(
    dirname(createRequire(join(folder, 'package.json')).resolve('next/package.json')),
    'dist/bin/next',
  );
  const child = spawn(
    process.execPath,
    [
      '--import',
      endWithParent.href,
      next,
      'start',
      folder,
      '--port',
      `${options.port}`,
      '--hostname',
      options.host,
    ],
    {
      env: {
        ...process.env,
        LOCKSTEP_URL: options.daemonUrl,
        NEXT_TELEMETRY_DISABLED: '1',
        NODE_ENV: 'production',
      },
      // The input is never written to: its end tells the console that this process is gone.
      stdio: ['pipe', 'ignore', 'pipe'],
      // A terminal's ctrl-c must reach the daemon first: Next waits for streams that only the daemon ends.
      detached: true,
    },
  );
  const errors = collect(child);
  const ended = new Promise<number | null>((done) => {
    child.once('exit', (code) => {
      done(code);
    });
  });
  const url = consoleUrlOf(options.host, options.port);
  const up = await Promise.race([ended.then(() => false), answers(url)]);
  if (!up) {
    child.kill('SIGKILL');
    throw new CliError(exitCodes.machine, `the console did not start: ${errors().trim()}`);
  }
  return { url, ended, stop: () => stop(child, ended) };
};

const collect = (child: ChildProcess): (() => string) => {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-4000);
  });
  return () => text;
};

const requireFreePort = (port: number, host: string): Promise<void> =>
  new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', (cause) => {
      fail(
        new CliError(
          exitCodes.machine,
          `port ${port} is in use, name another with \`--console-port\` or stop what holds it`,
          { cause },
        ),
      );
    });
    probe.listen(port, host, () => {
      probe.close(() => {
        done();
      });
    });
  });

const answers = async (url: string): Promise<boolean> => {
  const until = Date.now() + startWithinMs;
  while (Date.now() < until) {
    try {
      await fetch(url, { signal: AbortSignal.timeout(2000) });
      return true;
    } catch {
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  return false;
};

const stop = async (child: ChildProcess, ended: Promise<unknown>): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  await ended;
  clearTimeout(late);
};
