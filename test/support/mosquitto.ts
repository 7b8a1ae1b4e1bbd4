import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

/** The real broker, on a free port, in a folder of its own. */
export interface Mosquitto {
  readonly url: string;
  /** Ends the broker; what its clients have not acknowledged is kept. */
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** @param lines further lines of its config */
export const startMosquitto = async (lines = ''): Promise<Mosquitto> => {
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-mosquitto-'));
  const port = await freePort();
  const config = join(folder, 'mosquitto.conf');
  await writeFile(
    config,
    `listener ${port} 127.0.0.1
allow_anonymous true
persistence true
persistence_location ${folder}/
autosave_on_changes true
autosave_interval 1
log_dest none
${process.getuid?.() === 0 ? 'user root\n' : ''}${lines}`,
  );
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    child = spawn('/usr/sbin/mosquitto', ['-c', config], { stdio: 'ignore' });
    await eventually('the broker', () => answers(port));
  };
  const stop = async (): Promise<void> => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null) return;
    const ended = new Promise((done) => running.once('exit', done));
    running.kill('SIGTERM');
    await ended;
  };
  await start();
  return {
    url: `mqtt://127.0.0.1:${port}`,
    start,
    stop,
    remove: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const freePort = (): Promise<number> =>
  new Promise((done) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => {
        done(port);
      });
    });
  });

const answers = (port: number): Promise<true | null> =>
  new Promise((done) => {
    const socket = connectTcp(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => {
      done(null);
    });
  });
