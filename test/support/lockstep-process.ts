import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectReplayed } from './replayed-log.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'apps/daemon/bin/lockstep.mjs');

/** How a process of the command line ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A daemon in a process of its own, as `lockstep up --no-console` starts it. */
export interface DaemonProcess {
  readonly url: string;
  readonly pid: number;
  /** SIGTERM, and how it ended. */
  readonly stop: () => Promise<Ended>;
  /** SIGKILL: nothing of the process gets to run. */
  readonly kill: () => Promise<void>;
}

/** A folder with a config, a script and a data folder, and processes of the real program on it. */
export interface ProcessFolder {
  readonly folder: string;
  readonly data: string;
  readonly config: string;
  /** Starts a daemon; rejects with what it said when it does not come up. `around` is a command that runs it. */
  readonly up: (more?: readonly string[], around?: readonly string[]) => Promise<DaemonProcess>;
  /** Runs one command to its end. */
  readonly lockstep: (args: readonly string[], input?: string) => Promise<Ended>;
  /** Ends what still runs and removes the folder. Without `replayed: false` every turn of its log is replayed first. */
  readonly remove: (options?: { readonly replayed: false }) => Promise<void>;
}

/** Lays out a folder for the real program, which must be built. */
export const processFolder = async (config: string, script: string): Promise<ProcessFolder> => {
  if (!existsSync(join(root, 'apps/daemon/dist/cli/main.js')))
    throw new Error('the program is not built, run `npx tsc -b` first');
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-process-'));
  const file = join(folder, 'lockstep.toml');
  const data = join(folder, 'data');
  await writeFile(file, config);
  await writeFile(join(folder, 'script.yaml'), script);
  const running = new Set<ChildProcess>();
  const start = (
    args: readonly string[],
    input = '',
    around: readonly string[] = [],
  ): ChildProcess => {
    const env = { ...process.env, LOCKSTEP_DATA: data, NO_COLOR: '1' };
    for (const name of ['LOCKSTEP_URL', 'LOCKSTEP_TOKEN', 'LOCKSTEP_CONFIG'])
      Reflect.deleteProperty(env, name);
    const [program = '', ...words] = [...around, process.execPath, bin, ...args];
    const child = spawn(program, words, { cwd: folder, env });
    running.add(child);
    child.once('close', () => running.delete(child));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    return child;
  };
  return {
    folder,
    data,
    config: file,
    up: (more = [], around = []) =>
      listening(
        start(
          ['up', '--no-console', '--port', '0', '--json', '--log', 'error', ...more],
          '',
          around,
        ),
      ),
    lockstep: (args, input) => ended(start(args, input)),
    remove: async (options) => {
      await Promise.all([...running].map((child) => killed(child)));
      // Whatever a test records is made again from its log.
      const replayed = options?.replayed === false ? Promise.resolve(0) : expectReplayed(data);
      await replayed.finally(() => rm(folder, { recursive: true, force: true }));
    },
  };
};

const ended = (child: ChildProcess): Promise<Ended> => {
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  return new Promise((done) => {
    child.once('close', (code) => {
      done({ code, stdout, stderr });
    });
  });
};

const killed = (child: ChildProcess): Promise<void> =>
  new Promise((done) => {
    child.once('close', () => {
      done();
    });
    if (!child.kill('SIGKILL')) done();
  });

const listening = (child: ChildProcess): Promise<DaemonProcess> => {
  const end = ended(child);
  return new Promise((done, fail) => {
    let told = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      told += chunk.toString('utf8');
      if (!told.includes('\n') || child.pid === undefined) return;
      const { daemon } = JSON.parse(told.slice(0, told.indexOf('\n'))) as { daemon: string };
      done({
        url: daemon,
        pid: child.pid,
        stop: () => {
          child.kill('SIGTERM');
          return end;
        },
        kill: () => killed(child),
      });
    });
    void end.then(({ code, stderr }) => {
      fail(new Error(`ended with ${code ?? 'a signal'}: ${stderr}`));
    });
  });
};
