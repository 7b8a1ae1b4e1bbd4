import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type Daemon } from '../daemon.ts';
import { runCli } from './program.ts';

const config = `[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[risk_profiles.careful.tools]
allowed = ["file_*"]
denied = ["file_read"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[cron.nightly]
agent = "alpha"
schedule = "0 3 * * *"
prompt = "Look"
[sops.release]
[[sops.release.steps]]
agent = "alpha"
prompt = "Ship {{input}}"
`;
const script = `scenarios:
  - when: write
    steps:
      - calls: [{ tool: file_write, args: { path: a.md, content: hello } }]
      - say: 'written'
  - when: read
    steps:
      - calls: [{ tool: file_read, args: { path: a.md } }]
      - say: 'not read'
`;

let folder: string;
let daemon: Daemon;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-commands-'));
  await writeFile(join(folder, 'lockstep.toml'), config);
  await writeFile(join(folder, 'script.yaml'), script);
  daemon = await startDaemon({
    config: join(folder, 'lockstep.toml'),
    data: join(folder, '.lockstep'),
    port: 0,
    console: 'http://127.0.0.1:7999',
    log: 'silent',
  });
});
afterAll(async () => {
  await daemon.close('the spec is done with it');
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const lockstep = async (words: readonly string[], columns?: number): Promise<Ended> => {
  let [out, err] = ['', ''];
  const code = await runCli(words, {
    env: {},
    cwd: folder,
    write: (text) => (out += stripVTControlCharacters(text)),
    note: (text) => (err += stripVTControlCharacters(text)),
    columns,
    now: () => Date.now(),
    version: '0.0.0',
  });
  return { code, out, err };
};
const json = async (words: readonly string[]): Promise<unknown> =>
  JSON.parse((await lockstep([...words, '--json'])).out);

describe('given a daemon that runs on the data folder', () => {
  it('shows a turn that waits, decides it, and lists it as completed', async () => {
    const asked = await lockstep(['run', 'alpha', 'write it']);
    expect([asked.code, asked.out]).toEqual([0, '']);
    const id = /approvals show (\S+)/.exec(asked.err)?.[1] ?? '';
    expect((await lockstep(['approvals'])).out).toContain(id);
    const shown = await lockstep(['approvals', 'show', id]);
    expect(shown.out).toContain('tool: builtin:file_write');
    expect(shown.out).toContain('choices: once');
    expect(await lockstep(['approvals', 'approve', id])).toEqual({
      code: 0,
      out: 'approved builtin:file_write\n',
      err: '',
    });
    const again = await lockstep(['approvals', 'deny', id]);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('already_decided')]);
    expect((await lockstep(['approvals'])).out).toBe('nothing waits\n');
    await expect
      .poll(() => json(['turns']))
      .toMatchObject({
        items: [{ agent: 'alpha', path: 'loop', trigger: 'run', status: 'completed' }],
      });
  });

  it('names rule and pattern of a refused call, for a person alone', async () => {
    const ran = await lockstep(['run', 'alpha', 'read it']);
    expect([ran.code, ran.out]).toEqual([0, 'not read\n']);
    const turn = /\(turn (\S+)\)/.exec(ran.err)?.[1] ?? '';
    const told = (await lockstep(['turn', turn])).out;
    expect(told).toContain('[tools.denied builtin:file_read]');
    expect(told).toContain('\ninput: read it\nreply: not read\n');
    const explained = await lockstep(['policy', 'explain', 'alpha', 'file_read', '{"path":"a"}']);
    expect([explained.code, explained.out]).toEqual([1, expect.stringContaining('tools.denied')]);
  });

  it('ends `parity` with 0 without a gap, and with 1 where more is asked for', async () => {
    const seen = await lockstep(['parity']);
    expect(seen.code).toBe(0);
    expect(seen.out).toMatch(/^\d+ of \d+ cells enforced, 0 gaps$/m);
    expect((await lockstep(['parity', '--strict'])).code).toBe(1);
    expect(await json(['parity'])).toMatchObject({ figure: { of: expect.any(Number) as number } });
  });

  it('rebuilds one read model by name, and refuses a name that is none', async () => {
    const done = await lockstep(['projections', 'rebuild', 'turn-list']);
    expect([done.code, done.out]).toEqual([0, expect.stringContaining('rebuilding turn-list')]);
    await expect
      .poll(() => json(['projections']))
      .toMatchObject({
        items: [
          { state: 'live' },
          { name: 'turn-list', state: 'live', lag: 0 },
          { state: 'live' },
          { name: 'jobs', state: 'live' },
          { name: 'sop-runs', state: 'live' },
        ],
      });
    expect(await json(['turns'])).toMatchObject({
      items: [{ agent: 'alpha' }, { agent: 'alpha' }],
    });
    const none = await lockstep(['projections', 'rebuild', 'nonsense']);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('parity-matrix, turn-list')]);
  });

  it('lists jobs, starts one, and shows the run of a procedure with its steps', async () => {
    const jobs = await lockstep(['jobs']);
    expect([jobs.code, jobs.out]).toEqual([0, expect.stringContaining('nightly')]);
    expect(await lockstep(['jobs', 'run', 'nightly'])).toMatchObject({ code: 0 });
    expect((await lockstep(['jobs', 'remove', 'nightly'])).err).toContain('stands in config');
    const { id } = (await json(['sop', 'start', 'release', 'notes'])) as { id: string };
    await expect.poll(() => json(['sop', 'show', id])).toMatchObject({ status: 'completed' });
    const shown = await lockstep(['sop', 'show', id.slice(0, 30)]);
    expect(shown.out).toContain('step1 · alpha · completed');
    expect((await lockstep(['sop', 'runs', '--sop', 'release'])).out).toContain('1/1');
    expect((await lockstep(['sop', 'cancel', id])).code).toBe(0);
    expect((await lockstep(['sop', 'start', 'none', 'x'])).err).toContain('`none`');
  });

  it('shows a token once, lists it without its text, and ends it', async () => {
    const made = await lockstep(['token', 'create', 'ana', '--role', 'viewer']);
    const id = /token `(\S+)`/.exec(made.err)?.[1] ?? '';
    const token = made.out.trim();
    const url = ['--url', daemon.url, '--token', token];
    expect((await lockstep([...url, 'turns'])).code).toBe(0);
    expect(await lockstep([...url, 'token', 'list'])).toMatchObject({ code: 1 });
    const list = await lockstep(['token', 'list']);
    expect([list.out.includes(id), list.out.includes(token)]).toEqual([true, false]);
    expect((await lockstep(['token', 'revoke', id])).out).toBe('revoked\n');
    expect(await lockstep([...url, 'turns'])).toMatchObject({ code: 2 });
  });

  it('names a role that is none, and makes no token', async () => {
    const made = await lockstep(['token', 'create', 'zoe', '--role', 'viewer', 'king']);
    expect([made.code, made.out, made.err]).toEqual([
      2,
      '',
      'lockstep: `king` is no role, use viewer, auditor, operator, approver, admin\n',
    ]);
    expect((await lockstep(['token', 'list'])).out).not.toContain('zoe');
  });

  it('makes a sign-in link for the console', async () => {
    const made = await lockstep(['token', 'link', '--console', 'http://console.test']);
    expect(made.out).toMatch(/^http:\/\/console\.test\/signin\?link=\S+\n$/);
    const plain = await lockstep(['token', 'link']);
    expect(plain.out).toMatch(/^http:\/\/127\.0\.0\.1:7999\/signin\?link=\S+\n$/);
  });

  it('exports the log as lines of JSON, from the first event on', async () => {
    const lines = (await lockstep(['events', 'export'])).out.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type).slice(0, 1)).toEqual([
      'DaemonStarted',
    ]);
  });

  it('shows the config in force and what its version brought', async () => {
    expect((await lockstep(['config', 'show'])).out).toBe(`${config}\n`);
    expect((await lockstep(['config', 'diff', '1'])).out).toContain('agents');
    expect((await lockstep(['config', 'diff', '9'])).code).toBe(2);
    expect((await lockstep(['config', 'check'])).out).toContain('the config is good');
  });

  it('fits a table to a narrow terminal, and leaves piped output as wide as it is', async () => {
    const words = ['policy', 'show', 'alpha'];
    const widest = (text: string): number =>
      Math.max(...text.split('\n').map((line) => line.length));
    expect(widest((await lockstep(words, 80)).out)).toBeLessThanOrEqual(80);
    expect(widest((await lockstep(words)).out)).toBeGreaterThan(80);
  });
});
