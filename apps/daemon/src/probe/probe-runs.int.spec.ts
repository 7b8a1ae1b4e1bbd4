import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  emptyLedger,
  familyOf,
  foldLedger,
  freezeLedger,
  type EventStore,
  type LockstepEvent,
  type ParityView,
} from '@lockstep/engine';
import { startDaemon, type Daemon } from '../daemon.ts';
import type { ProbeRun } from './probes.port.ts';

const config = `[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[agents.alpha.memory]
backend = "markdown"
[risk_profiles.careful.tools]
allowed = ["file_write", "memory_store", "memory_recall"]
denied = ["file_edit"]
[risk_profiles.careful.approval]
auto_approve = ["memory_store"]
[runtime_profiles.short.budgets]
max_actions_per_hour = 9
max_tool_calls = 5
[providers.local]
type = "scripted"
script = "script.yaml"
prices = { input_per_mtok = 1.0, output_per_mtok = 1.0 }
`;
const script = `default:
  - calls: [{ tool: memory_store, args: { text: 'the tide is high' } }]
  - say: 'kept'
`;

let folder: string;
let daemon: Daemon;
let store: EventStore;
let token: string;
let before: Seen;
let run: ProbeRun;

/** Whatever a person or a program can see of a daemon but its matrix. */
interface Seen {
  readonly events: readonly LockstepEvent[];
  readonly pages: Readonly<Record<string, unknown>>;
  readonly files: readonly string[];
}

const pages = [
  'turns',
  'approvals?state=all',
  'agents',
  'agents/alpha/trail',
  'sessions',
  'grants',
  'jobs',
  'sops/runs',
  'stop',
  'unknown-outcomes',
  'channels',
];

const ask = async (path: string, init?: RequestInit) => {
  const response = await fetch(`${daemon.url}/v1/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  return { status: response.status, body: await response.json() };
};

const all = async (): Promise<readonly LockstepEvent[]> => {
  const found: LockstepEvent[] = [];
  let after: Parameters<EventStore['readAll']>[0]['after'] = 'start';
  for (;;) {
    const page = await store.readAll({ after, limit: 1_000 });
    found.push(...page.events);
    after = page.next;
    if (page.end) return found;
  }
};

const seen = async (): Promise<Seen> => {
  const answers: Record<string, unknown> = {};
  for (const page of pages) answers[page] = await ask(page);
  return {
    events: await all(),
    pages: answers,
    files: filesIn(join(folder, 'data', 'memory')),
  };
};

/** Every file of a folder with its text. */
const filesIn = (where: string): readonly string[] =>
  readdirSync(where, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${name}: ${readFileSync(join(parentPath, name), 'utf8')}`)
    .sort();

const probes = async (asked: object): Promise<ProbeRun> => {
  const { status, body } = await ask('parity/probes', {
    method: 'POST',
    body: JSON.stringify(asked),
  });
  expect(status).toBe(202);
  return body as ProbeRun;
};

const ended = ({ id }: ProbeRun): Promise<ProbeRun> =>
  vi.waitUntil(
    async () => {
      const run = (await ask(`parity/probes/${id}`)).body as ProbeRun;
      return run.status === 'running' ? null : run;
    },
    { timeout: 120_000, interval: 100 },
  );

const matrixOf = async () => (await ask('parity?agent=alpha')).body as ParityView;
const cellOf = ({ rows }: ParityView, setting: string) =>
  rows.find((row) => row.setting === setting)?.cells.loop.triggers.run;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-recorded-'));
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'lockstep.toml'), config);
  writeFileSync(join(folder, 'script.yaml'), script);
  daemon = await startDaemon({
    config: join(folder, 'lockstep.toml'),
    data: join(folder, 'data'),
    port: 0,
    log: 'silent',
    overLog: (log) => (store = log),
  });
  ({ token } = JSON.parse(readFileSync(join(folder, 'data', 'local.json'), 'utf8')) as {
    token: string;
  });
  const { body } = await ask('agents/alpha/runs', {
    method: 'POST',
    body: JSON.stringify({ input: 'remember the tide', wait: true }),
  });
  expect(body).toMatchObject({ status: 'completed' });
  before = await seen();
  run = await ended(await probes({ agent: 'alpha', path: 'loop' }));
}, 180_000);

afterAll(async () => {
  await daemon.close('the spec is done with it');
  rmSync(folder, { recursive: true, force: true });
});

describe('given a daemon whose config in force was probed', () => {
  it('shows what the probes came to, beside what was seen of turns that were asked for', async () => {
    expect(run).toMatchObject({ status: 'completed', problems: [], failure: null });
    const matrix = await matrixOf();
    const gaps = matrix.rows.flatMap(({ setting, cells: { loop } }) =>
      loop.state === 'gap' ? [[setting, loop.reason]] : [],
    );
    expect(gaps).toEqual([]);
    expect(cellOf(matrix, 'tools.denied')).toMatchObject({
      state: 'enforced',
      bites: { live: 0, probe: expect.any(Number) as number },
    });
    expect(cellOf(matrix, 'budgets.max_actions_per_hour')).toMatchObject({
      state: 'enforced',
      bites: { live: 0 },
    });
    // The turn that was asked for stored a row.
    const stored = cellOf(matrix, 'memory.writable');
    expect(stored?.bites.live).toBe(1);
    expect((stored?.turns ?? 0) - (stored?.probes ?? 0)).toBe(1);
  });

  it('keeps what shows something alone', () => {
    expect(run.recorded).toBeGreaterThan(3);
    expect(run.recorded).toBeLessThan(run.tried);
  });

  it.each(pages)('changes nothing of what `%s` says', async (page) => {
    const known = before.pages[page];
    expect(await ask(page)).toEqual(known);
  });

  it('writes no row into the memory of the agent, on disk neither', async () => {
    expect(before.files).toHaveLength(1);
    expect((await seen()).files).toEqual(before.files);
  });

  it('leaves on streams of its own and as content alone, and takes no number of an agent', async () => {
    const fresh = (await all()).slice(before.events.length);
    const own = fresh.filter(({ stream }) => familyOf(stream) === 'probe');
    const others = fresh.filter(
      ({ stream }) => !['probe', 'artifact', 'access'].includes(familyOf(stream) ?? ''),
    );
    expect(others.map(({ type }) => type)).toEqual([]);
    expect(own.length).toBeGreaterThan(5);
    for (const { stream, meta } of own)
      expect([stream, meta.probe, meta.agent, meta.agentSeq]).toEqual([
        `probe-${run.id}`,
        run.id,
        null,
        null,
      ]);
    expect((await matrixOf()).missing).toEqual([]);
  });

  it('leaves budgets, grants, sessions and all else that decides verdicts as it was', async () => {
    const [then, now] = [emptyLedger(), emptyLedger()];
    for (const event of before.events) foldLedger(then, event);
    for (const event of await all()) foldLedger(now, event);
    expect([...freezeLedger(now)]).toEqual([...freezeLedger(then)]);
  });

  it('shows a recorded turn to who has its id', async () => {
    const [first] = run.turns;
    expect(first).toMatchObject({ agent: 'alpha', trigger: 'run' });
    const { status, body } = await ask(`turns/${first?.turn ?? ''}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ probe: run.id, row: { agent: 'alpha', path: 'loop' } });
  });

  it('records of one setting what shows that one', async () => {
    const one = await ended(
      await probes({ agent: 'alpha', path: 'loop', setting: 'tools.denied' }),
    );
    expect(one).toMatchObject({ status: 'completed', setting: 'tools.denied' });
    expect(one.recorded).toBeGreaterThan(0);
    expect(one.recorded).toBeLessThan(run.recorded);
  }, 120_000);

  it('runs one at a time, and ends when an emergency stop is set; then it refuses', async () => {
    const going = await probes({ path: 'loop' });
    const second = await ask('parity/probes', { method: 'POST', body: '{}' });
    expect(second).toMatchObject({ status: 409, body: { code: 'busy', run: going.id } });
    await ask('stop', { method: 'POST', body: JSON.stringify({ why: 'a spec says so' }) });
    expect(await ended(going)).toMatchObject({
      status: 'failed',
      failure: expect.stringMatching(
        /every agent is stopped by .*: take the stop back first/,
      ) as string,
    });
    const refused = await ask('parity/probes', { method: 'POST', body: '{}' });
    expect(refused).toMatchObject({ status: 503, body: { code: 'stopped' } });
    await ask('stop', { method: 'DELETE' });
  }, 120_000);

  it('refuses an agent that config does not know', async () => {
    const asked = { method: 'POST', body: JSON.stringify({ agent: 'nobody' }) };
    expect(await ask('parity/probes', asked)).toMatchObject({
      status: 404,
      body: { code: 'agent_unavailable' },
    });
  });
});
