import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDaemon, StartError } from '@lockstep/daemon';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

const config = `
[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[risk_profiles.careful]
autonomy = "supervised"
[risk_profiles.careful.tools]
allowed = ["file_read", "file_write"]
[runtime_profiles.short.budgets]
max_tool_iterations = 6
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;
const script = `
scenarios:
  - when: "write the plum"
    steps:
      - calls: [{ tool: file_write, args: { path: "plum.txt", content: "plum-content" } }]
      - say: "Wrote it."
default: [{ say: "Plain answer." }]
`;

interface Row {
  readonly id: string;
  readonly revision: number;
  readonly shown: string;
}

let run: RunningDaemon;
beforeEach(async () => {
  run = await runDaemon(config, script);
});
afterEach(() => run.remove());

const items = async <T>(path: string): Promise<T[]> =>
  ((await run.admin().get(path)).body as { readonly items: T[] }).items;
const refusal = async (start: Promise<unknown>): Promise<StartError> => {
  try {
    await start;
  } catch (thrown) {
    if (thrown instanceof StartError) return thrown;
    throw thrown;
  }
  throw new Error('the daemon started');
};

describe('given a daemon that was stopped and started again', () => {
  it('still holds the request that waited, and runs the call once after the answer', async () => {
    const parked = await run.admin().post('/v1/agents/alpha/turns', {
      input: 'write the plum',
      wait: true,
    });
    const { id } = parked.body as { id: string };
    const before = await items<Row>('/v1/approvals');
    await run.stop();
    await run.start();
    const [row, ...more] = await items<Row>('/v1/approvals');
    if (row === undefined) throw new Error('one request was expected');
    expect([row, ...more]).toEqual(before);
    const decided = await run.admin().post(`/v1/approvals/${row.id}/decision`, {
      choice: 'once',
      revision: row.revision,
      shown: row.shown,
    });
    expect(decided.status).toBe(200);
    const answer = async (): Promise<string> =>
      ((await run.admin().get(`/v1/turns/${id}`)).body as { answer: { status: string } }).answer
        .status;
    await expect.poll(answer).toBe('completed');
    const file = join(run.data, 'workspaces', 'alpha', 'plum.txt');
    expect(await readFile(file, 'utf8')).toBe('plum-content');
    const started = await items(`/v1/events?types=ToolCallStarted`);
    expect(started.length).toBe(1);
  });

  it('has a new local token in a file of its owner alone, and the old one is void', async () => {
    const old = run.local();
    const path = join(run.data, 'local.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const file = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
    expect(file).toEqual({
      url: run.url(),
      token: old,
      pid: process.pid,
      incarnation: run.daemon().incarnation,
    });
    await run.stop();
    expect(existsSync(path)).toBe(false);
    await run.start();
    expect(run.local()).not.toBe(old);
    expect((await run.as(old).get('/v1/agents')).status).toBe(401);
    const text = await readFile(join(run.data, 'log.db'));
    expect(text.includes(old) || text.includes(run.local())).toBe(false);
  });

  it('records each start and stop, and applies an unchanged config once', async () => {
    await run.stop();
    await run.start();
    const events = await items<{ type: string; data: { why?: string } }>(
      '/v1/events?types=DaemonStarted,DaemonStopped,ConfigApplied',
    );
    expect(events.map(({ type }) => type)).toEqual([
      'DaemonStarted',
      'ConfigApplied',
      'DaemonStopped',
      'DaemonStarted',
    ]);
  });

  it('goes on with a stream where the client left it', async () => {
    const auth = { authorization: `Bearer ${run.local()}` };
    const first = await fetch(`${run.url()}/v1/events/stream?after=start&types=DaemonStarted`, {
      headers: auth,
    });
    const reader = first.body?.pipeThrough(new TextDecoderStream()).getReader();
    const text = (await reader?.read())?.value ?? '';
    const id = /^id: (.+)$/m.exec(text)?.[1] ?? '';
    expect(text).toContain('DaemonStarted');
    await run.stop();
    await run.start();
    const stop = new AbortController();
    const again = await fetch(`${run.url()}/v1/events/stream?types=DaemonStarted`, {
      headers: { authorization: `Bearer ${run.local()}`, 'last-event-id': id },
      signal: stop.signal,
    });
    const next = await again.body?.pipeThrough(new TextDecoderStream()).getReader().read();
    expect(next?.value).toContain(run.daemon().incarnation);
    expect(next?.value).not.toContain('event: reset');
    stop.abort();
  });
});

describe('given an edit of the config file', () => {
  it('brings it into force, also when an editor replaces the file by renaming', async () => {
    const draft = `${run.config}.swp`;
    await writeFile(draft, config.replace('max_tool_iterations = 6', 'max_tool_iterations = 7'));
    await rename(draft, run.config);
    const version = async (): Promise<number> =>
      ((await run.admin().get('/v1/config')).body as { version: number }).version;
    await expect.poll(version).toBe(2);
    await writeFile(run.config, `${config}\n[nonsense]\n`);
    await expect
      .poll(async () => (await items('/v1/events?types=ConfigRejected')).length, {
        timeout: 30_000,
      })
      .toBe(1);
    expect(await version()).toBe(2);
  });
});

describe('given a start that cannot be', () => {
  it('names every problem of a broken config with exit code 2, and touches nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lockstep-bad-'));
    const file = join(folder, 'lockstep.toml');
    await writeFile(
      file,
      config.replace('"careful"', '"carefull"').replace('"script.yaml"', '"none.yaml"') +
        '\n[agents.beta]\nproviderr = "local"\n',
    );
    const data = join(folder, 'data');
    const error = await refusal(startDaemon({ config: file, data, port: 0, log: 'silent' }));
    expect(error.exitCode).toBe(2);
    expect(error.message).toContain(`${file}:4:`);
    expect(error.message).toContain('agents.alpha.risk_profile');
    expect(error.message).toContain('agents.beta.providerr');
    expect(existsSync(data)).toBe(false);
    await rm(folder, { recursive: true, force: true });
  });

  it('names the line of a broken script with exit code 2', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lockstep-bad-'));
    const file = join(folder, 'lockstep.toml');
    await writeFile(file, config);
    await writeFile(join(folder, 'script.yaml'), 'default:\n  - sayy: "x"\n');
    const error = await refusal(
      startDaemon({ config: file, data: join(folder, 'data'), port: 0, log: 'silent' }),
    );
    expect([error.exitCode, /script\.yaml:2: .*`sayy`/.test(error.message)]).toEqual([2, true]);
    await rm(folder, { recursive: true, force: true });
  });

  it('refuses a second daemon on the same folder with exit code 4, and the first runs on', async () => {
    const second = startDaemon({ config: run.config, data: run.data, port: 0, log: 'silent' });
    const error = await refusal(second);
    expect([error.exitCode, error.message.includes('is in use')]).toEqual([4, true]);
    expect((await run.admin().get('/v1/agents')).status).toBe(200);
    expect((await items('/v1/events?types=DaemonStarted')).length).toBe(1);
  });

  it('refuses a port in use with exit code 4, and records nothing', async () => {
    await run.stop();
    const holder = createServer();
    await new Promise<void>((done) => holder.listen(0, '127.0.0.1', done));
    const { port } = holder.address() as AddressInfo;
    const error = await refusal(
      startDaemon({ config: run.config, data: run.data, port, log: 'silent' }),
    );
    expect([error.exitCode, error.message.includes(`port ${port}`)]).toEqual([4, true]);
    await new Promise((done) => holder.close(done));
    await run.start();
    const types = await items<{ type: string }>('/v1/events?types=DaemonStarted,DaemonStopped');
    expect(types.map(({ type }) => type)).toEqual([
      'DaemonStarted',
      'DaemonStopped',
      'DaemonStarted',
    ]);
  });

  it('refuses to bind a public address without a proxy that is named', async () => {
    await run.stop();
    const error = await refusal(
      startDaemon({ config: run.config, data: run.data, host: '0.0.0.0', port: 0, log: 'silent' }),
    );
    expect([error.exitCode, error.message.includes('gateway.trusted_proxies')]).toEqual([2, true]);
  });
});

describe('given the log lines of a daemon', () => {
  it('holds no content, no token and no secret', async () => {
    let lines = '';
    const sink = new Writable({
      write: (chunk, _encoding, done) => {
        lines += String(chunk);
        done();
      },
    });
    await run.remove();
    run = await runDaemon(config, script, { log: pino({ level: 'trace' }, sink) });
    await run.admin().post('/v1/agents/alpha/turns', { input: 'write the plum', wait: true });
    await run.as('lks_wrong').get('/v1/agents');
    const link = run.daemon().signInLink();
    await run.stop();
    expect(lines).toContain('listening');
    expect([/plum/, /lks_/].map((pattern) => pattern.test(lines))).toEqual([false, false]);
    expect(lines.includes(link)).toBe(false);
  });
});
