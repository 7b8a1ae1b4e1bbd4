import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openSqliteLog } from '@lockstep/daemon';
import { fillLog } from './long-log.ts';
import { quick, report } from './figures.ts';

// The daemon as it is built, in a process of its own, on a log of this many events.
const events = quick ? 100_000 : 1_000_000;
const root = mkdtempSync(join(tmpdir(), 'lockstep-bench-history-'));
const data = join(root, 'data');
const bin = fileURLToPath(new URL('../../apps/daemon/bin/lockstep.mjs', import.meta.url));

const config = `
[providers.local]
type = "scripted"
script = "script.yaml"

[risk_profiles.careful.tools]
allowed = ["file_*"]

[runtime_profiles.short]

[agents.a]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
`;

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly ms: number;
}

/** Spawns the daemon and waits until it says where it listens and answers that it is ready. */
const start = async (): Promise<Started> => {
  const begin = performance.now();
  const child = spawn(
    process.execPath,
    [
      bin,
      '--config',
      join(root, 'lockstep.toml'),
      '--data',
      data,
      '--json',
      'up',
      '--no-console',
      '--port',
      '0',
      '--log',
      'silent',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = (await Promise.race([once(child.stdout, 'data'), gone(child)])) as [Buffer];
  const { daemon: url } = JSON.parse(line.toString()) as { readonly daemon: string };
  const health = await fetch(`${url}/healthz`);
  if (!health.ok) throw new Error(`the daemon answers ${health.status}`);
  return { child, url, ms: performance.now() - begin };
};

const gone = async (child: ChildProcess): Promise<never> => {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`the daemon ended with ${code ?? 'a signal'}`);
};

const stop = async ({ child }: Started): Promise<void> => {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
};

/** Resident memory in MB, from the kernel. */
const residentMb = ({ child }: Started): number => {
  const status = readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
};

/** Milliseconds until every read model is at the end of the log. */
const caughtUp = async ({ url }: Started): Promise<number> => {
  const { token } = JSON.parse(readFileSync(join(data, 'local.json'), 'utf8')) as {
    readonly token: string;
  };
  const begin = performance.now();
  for (;;) {
    const answer = await fetch(`${url}/v1/projections`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!answer.ok) throw new Error(`/v1/projections answers ${answer.status}`);
    const { items } = (await answer.json()) as { readonly items: readonly { state: string }[] };
    if (items.every(({ state }) => state === 'live')) return performance.now() - begin;
    await pause(200);
  }
};

const readAll = async (): Promise<void> => {
  const { store } = await openSqliteLog({ folder: data, clock: { now: () => Date.now() } });
  const begin = performance.now();
  let read = 0;
  for (let after = 'start', end = false; !end && read < 200_000;) {
    const page = await store.readAll({ after, limit: 512 });
    read += page.events.length;
    ({ next: after, end } = page);
  }
  report('readAll', read / ((performance.now() - begin) / 1_000), 'events/s');
  await store.close();
};

try {
  writeFileSync(join(root, 'lockstep.toml'), config);
  writeFileSync(join(root, 'script.yaml'), 'default: [{ say: "Done." }]\n');
  const empty = await start();
  report('start on an empty folder', empty.ms, 'ms');
  await pause(3_000);
  report('memory at rest, empty log', residentMb(empty), 'MB');
  await stop(empty);
  rmSync(data, { recursive: true });

  await fillLog(data, events);
  const of = `${events.toLocaleString('en')} events`;
  await readAll();
  const first = await start();
  report(`first start on ${of}`, first.ms, 'ms');
  report('read models built from nothing', events / ((await caughtUp(first)) / 1_000), 'events/s');
  await stop(first);
  const second = await start();
  report(`start on ${of}`, second.ms, 'ms', { atMost: 2_000 });
  await caughtUp(second);
  await pause(quick ? 3_000 : 10_000);
  report(`memory at rest on ${of}`, residentMb(second), 'MB', { atMost: 180 });
  await stop(second);
} finally {
  rmSync(root, { recursive: true, force: true });
}
