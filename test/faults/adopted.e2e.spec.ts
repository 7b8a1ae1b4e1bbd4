import { copyFile, cp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startDaemon, type Daemon } from '@lockstep/daemon';
import type { LockstepEvent } from '@lockstep/engine';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

const config = `
[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[risk_profiles.careful]
autonomy = "supervised"
[risk_profiles.careful.tools]
allowed = ["file_*"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[cron.often]
agent = "alpha"
schedule = "* * * * * *"
prompt = "by the clock"
missed = "run_once"
enabled = true
`;
const script = `
scenarios:
  - when: "write"
    steps:
      - calls: [{ tool: "file_write", args: { path: "a.md", content: "x" } }]
      - say: "written"
default: [{ say: "plain" }]
`;

const others: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of others.splice(0).reverse()) await undo();
});

const given = async (): Promise<RunningDaemon> => {
  const running = await runDaemon(config.replace('enabled = true', 'enabled = false'), script);
  others.push(() => running.remove());
  return running;
};
const asks = async (running: RunningDaemon): Promise<string> => {
  const answer = await running
    .admin()
    .post('/v1/agents/alpha/turns', { input: 'write', wait: true });
  expect(answer.body).toMatchObject({ status: 'waiting' });
  return (answer.body as { id: string }).id;
};
const isReady = (url: string): Promise<true> =>
  eventually('a daemon that takes work', async () => {
    const ready = await fetch(`${url}/readyz`).catch(() => null);
    return ready?.ok === true ? true : null;
  });
const health = async (url: string): Promise<unknown> => (await fetch(`${url}/healthz`)).json();

/** A daemon on another data folder, with the same config. */
const startOn = async (
  running: RunningDaemon,
  data: string,
): Promise<{
  daemon: Daemon;
  call: (method: string, path: string, body?: object) => Promise<Response>;
}> => {
  const daemon = await startDaemon({ config: running.config, data, port: 0, log: 'silent' });
  others.push(() => daemon.close('the test is done with it'));
  const call = async (method: string, path: string, body?: object): Promise<Response> => {
    const { token } = JSON.parse(await readFile(join(data, 'local.json'), 'utf8')) as {
      token: string;
    };
    return fetch(`${daemon.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };
  return { daemon, call };
};

describe('given the data folder of another daemon', () => {
  it('opens a copy read-only: it can be looked at, nothing begins, and nothing is recorded', async () => {
    const running = await given();
    const turn = await asks(running);
    await running.stop();
    const copy = join(running.folder, 'copy');
    await cp(running.data, copy, { recursive: true });
    const before = await readFile(join(copy, 'log.db'));

    const { daemon, call } = await startOn(running, copy);
    expect(await health(daemon.url)).toMatchObject({ status: 'ok', log: 'read-only' });
    const ready = await fetch(`${daemon.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: 'not ready', missing: ['adoption'] },
    ]);
    const shown = await call('GET', `/v1/turns/${turn}`);
    expect([shown.status, await shown.json()]).toMatchObject([
      200,
      { row: { status: 'waiting' }, answer: { status: 'waiting' } },
    ]);
    const inbox = (await (await call('GET', '/v1/approvals')).json()) as {
      items: { id: string; revision: number; shown: string }[];
    };
    expect(inbox.items.length).toBe(1);
    const { id = '', revision = 0, shown: seen = '' } = inbox.items[0] ?? {};
    for (const [path, body] of [
      ['/v1/agents/alpha/turns', { input: 'plain' }],
      [`/v1/approvals/${id}/decision`, { choice: 'once', revision, shown: seen }],
      [`/v1/turns/${turn}/cancel`, {}],
      ['/v1/stop', {}],
      ['/v1/tokens', { name: 'ci', roles: ['viewer'] }],
      ['/v1/jobs/often/run', {}],
    ] as const) {
      const refused = await call('POST', path, body);
      const problem = (await refused.json()) as { code: string; detail: string };
      expect([path, refused.status, problem.code]).toEqual([path, 503, 'read_only']);
      expect(problem.detail).toContain('lockstep adopt');
    }
    expect((await call('POST', '/v1/session', { link: daemon.signInLink() })).status).toBe(200);
    await daemon.close('looked at');
    expect((await readFile(join(copy, 'log.db'))).equals(before)).toBe(true);
  });

  it('goes on in a copy once a person has taken it over, and says who did', async () => {
    const running = await given();
    const turn = await asks(running);
    const { incarnation: first } = running.daemon();
    await running.stop();
    const copy = join(running.folder, 'copy');
    await cp(running.data, copy, { recursive: true });
    const { daemon, call } = await startOn(running, copy);
    const { url, incarnation } = daemon;
    const found = (await (await call('GET', '/v1/adopt')).json()) as { foreign: object };
    expect(found).toMatchObject({
      foreign: { why: 'its file is a copy' },
      open: { turns: 1, messages: 0, waiting: 1 },
    });
    expect((await call('POST', '/v1/adopt')).status).toBe(202);
    // The one that was asked may still answer while it stops.
    await eventually('the daemon that took over', () =>
      Promise.resolve(daemon.incarnation === incarnation ? null : true),
    );
    await isReady(url);
    expect(daemon.url).toBe(url);
    expect((await call('POST', '/v1/adopt')).status).toBe(409);
    const inbox = (await (await call('GET', '/v1/approvals')).json()) as {
      items: { id: string; revision: number; shown: string }[];
    };
    const { id = '', revision = 0, shown = '' } = inbox.items[0] ?? {};
    expect(
      (await call('POST', `/v1/approvals/${id}/decision`, { choice: 'once', revision, shown }))
        .status,
    ).toBe(200);
    await eventually('the end of the turn', async () => {
      const { answer } = (await (await call('GET', `/v1/turns/${turn}`)).json()) as {
        answer: { status: string };
      };
      return answer.status === 'completed' ? true : null;
    });
    const { items } = (await (
      await call('GET', '/v1/events?after=start&limit=1000&types=LogAdopted')
    ).json()) as { items: LockstepEvent[] };
    expect(items.map(({ data }) => data)).toEqual([
      {
        by: 'local',
        fromHost: expect.any(String) as string,
        fromIncarnation: first,
        turns: 1,
        jobs: 0,
      },
    ]);
  });

  const isReadOnly = async (running: RunningDaemon, data: string): Promise<string | null> => {
    const { daemon, call } = await startOn(running, data);
    const { foreign } = (await (await call('GET', '/v1/adopt')).json()) as {
      foreign: { why: string } | null;
    };
    await daemon.close('seen');
    return foreign?.why ?? null;
  };

  it('takes an older state of the log for what it is, though it lies in the same file', async () => {
    const running = await given();
    await running.stop();
    const log = join(running.data, 'log.db');
    const backup = join(running.folder, 'backup.db');
    await copyFile(log, backup);
    await running.start();
    await running.stop();
    await copyFile(backup, log);
    expect(await isReadOnly(running, running.data)).toBe(
      'the last daemon that wrote it is not the last one here',
    );
  });

  it('takes a log that lost its end for what it is, though no daemon started since', async () => {
    const running = await given();
    const mark = join(running.data, 'log.mark.json');
    await running.stop();
    const { position, ...rest } = JSON.parse(await readFile(mark, 'utf8')) as { position: string };
    const further = String(Number(position) + 1).padStart(position.length, '0');
    await writeFile(mark, JSON.stringify({ ...rest, position: further }));
    expect(await isReadOnly(running, running.data)).toBe('it ends before what was recorded here');
  });

  it('takes a log without a mark, or with that of another machine, for a foreign one', async () => {
    const running = await given();
    const mark = join(running.data, 'log.mark.json');
    await running.stop();
    const own = await readFile(mark, 'utf8');
    await rm(mark);
    expect(await isReadOnly(running, running.data)).toBe('this machine has no mark of it');
    await writeFile(
      mark,
      JSON.stringify({ ...(JSON.parse(own) as object), machine: 'host:far', boot: 'then' }),
    );
    expect(await isReadOnly(running, running.data)).toBe('another machine wrote it');
    await writeFile(mark, own);
    expect(await isReadOnly(running, running.data)).toBe(null);
  });

  it('goes on by itself where the folder was only moved, or the daemon died at its start', async () => {
    const running = await given();
    await running.stop();
    const moved = join(running.folder, 'moved');
    await rename(running.data, moved);
    expect(await isReadOnly(running, moved)).toBe(null);
    // The start was about to be recorded.
    const mark = join(moved, 'log.mark.json');
    const read = JSON.parse(await readFile(mark, 'utf8')) as { incarnations: string[] };
    const incarnations = [...read.incarnations, 'never-recorded'];
    await writeFile(mark, JSON.stringify({ ...read, incarnations }));
    expect(await isReadOnly(running, moved)).toBe(null);
  });

  it('skips the times of jobs that passed elsewhere, even of jobs that make up for missed ones', async () => {
    const running = await given();
    await running.stop();
    await writeFile(running.config, config);
    await running.start();
    await eventually('a run of the job', async () => {
      const { body } = await running.admin().get('/v1/events?types=JobRun&after=start');
      return (body as { items: unknown[] }).items.length > 0 ? true : null;
    });
    await running.stop();
    const copy = join(running.folder, 'copy');
    await cp(running.data, copy, { recursive: true });
    const { daemon, call } = await startOn(running, copy);
    await new Promise((later) => setTimeout(later, 1_100));
    const { url } = daemon;
    const before = (await (await call('GET', '/v1/events?types=JobDue&after=start')).json()) as {
      items: LockstepEvent[];
    };
    await call('POST', '/v1/adopt');
    await isReady(url);
    const { items } = (await (
      await call('GET', '/v1/events?types=JobDue,JobSkipped,LogAdopted&after=start')
    ).json()) as { items: LockstepEvent[] };
    const since = items.slice(before.items.length);
    expect(
      since.slice(0, 2).map(({ type, data }) => [type, 'why' in data ? data.why : null]),
    ).toEqual([
      ['JobSkipped', 'adopted'],
      ['LogAdopted', null],
    ]);
    expect(since[1]?.data).toMatchObject({ jobs: 1 });
    expect(since.some(({ type, data }) => type === 'JobDue' && 'late' in data && data.late)).toBe(
      false,
    );
  });
});
