import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { chromium, type Browser } from 'playwright-core';
import { root } from './sources.ts';

/** A built console as its own process, with a line to the daemon that can be cut. */
export interface RunningConsole {
  readonly url: string;
  readonly line: Line;
  readonly stop: () => Promise<void>;
}

/** A connection between console and daemon that a test cuts and joins again. */
export interface Line {
  readonly url: string;
  readonly cut: () => Promise<void>;
  /** Joins it again, to the daemon at this address. */
  readonly join: (daemonUrl: string) => Promise<void>;
}

/** Starts `next start` of the built console against a daemon.
 * @throws Error when it is not built or does not come up */
export const runConsole = async (daemonUrl: string): Promise<RunningConsole> => {
  const folder = join(root, 'apps', 'console');
  if (!existsSync(join(folder, '.next', 'BUILD_ID')))
    throw new Error('the console is not built, run `npm run build`');
  const line = await layLine(daemonUrl);
  const port = await freePort();
  const next = join(
    dirname(createRequire(join(folder, 'package.json')).resolve('next/package.json')),
    'dist/bin/next',
  );
  const child = spawn(
    process.execPath,
    [next, 'start', folder, '--port', String(port), '--hostname', '127.0.0.1'],
    {
      env: {
        ...process.env,
        LOCKSTEP_URL: line.url,
        NEXT_TELEMETRY_DISABLED: '1',
        NODE_ENV: 'production',
      },
      stdio: 'ignore',
    },
  );
  const url = `http://127.0.0.1:${port}`;
  await answers(url, child);
  const stop = async (): Promise<void> => {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await ended;
    await line.cut();
  };
  return { url, line, stop };
};

const answers = async (url: string, child: ChildProcess): Promise<void> => {
  const until = Date.now() + 90_000;
  while (Date.now() < until && child.exitCode === null) {
    try {
      await fetch(`${url}/signin`, { signal: AbortSignal.timeout(30_000) });
      return;
    } catch {
      await later(100);
    }
  }
  child.kill('SIGKILL');
  throw new Error('the console did not come up');
};

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, '127.0.0.1', () => {
      done((server.address() as AddressInfo).port);
    });
  });

const freePort = async (): Promise<number> => {
  const server = createServer();
  const port = await listen(server, 0);
  await new Promise((done) => server.close(done));
  return port;
};

const layLine = async (daemonUrl: string): Promise<Line> => {
  let target = Number(new URL(daemonUrl).port);
  const open = new Set<Socket>();
  const relay = (): Server =>
    createServer((near) => {
      const far = connect(target, '127.0.0.1');
      for (const socket of [near, far]) {
        open.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => {
          open.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      near.pipe(far).pipe(near);
    });
  let server: Server | null = relay();
  const port = await listen(server, 0);
  return {
    url: `http://127.0.0.1:${port}`,
    cut: async () => {
      const closing = server;
      server = null;
      if (closing === null) return;
      const closed = new Promise((done) => closing.close(done));
      for (const socket of open) socket.destroy();
      await closed;
    },
    join: async (url) => {
      target = Number(new URL(url).port);
      server = relay();
      await listen(server, port);
    },
  };
};

/** Chromium without anything that calls out by itself. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
