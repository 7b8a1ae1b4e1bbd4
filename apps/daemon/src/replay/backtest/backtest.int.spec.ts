import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHistory, type BacktestReport, type LockstepEvent } from '@lockstep/engine';
import { pathNames } from '@lockstep/policy';
import { openLogForReading } from '../../store/sqlite/log-schema.ts';
import { logPath } from '../../store/sqlite/sqlite-log.ts';
import { openRecordedLog } from '../histories/open-recorded-log.ts';
import { layHistory } from '../import/lay-history.ts';
import { prepareBacktest } from './backtest-log.ts';
import type { DraftSource } from './draft.ts';
import { logSource } from './log-source.ts';
import { turnIndex, type TurnFilter } from './turn-index.ts';

const root = new URL('../../../../../', import.meta.url);
const recorded = { version: 1 };
const folders = mkdtempSync(join(tmpdir(), 'lockstep-backtest-'));
const logs: Record<string, string> = {};

/** One agent that lists and writes, over `gateway` with its denied list and over `loop` around it. */
const bypass = 'examples/divergence/history.jsonl';
const demos = ['test/replay/fixtures/demo-gateway.jsonl', 'test/replay/fixtures/demo-loop.jsonl'];

beforeAll(async () => {
  for (const file of [bypass, ...demos]) {
    const folder = join(folders, file.replaceAll('/', '-'));
    const path = fileURLToPath(new URL(file, root));
    const laid = await layHistory(path, folder, { clock: { now: () => 0 } });
    if (!laid.ok) throw new Error(JSON.stringify(laid));
    logs[file] = logPath(folder);
  }
}, 60_000);
afterAll(() => {
  rmSync(folders, { recursive: true, force: true });
});

// A thread takes longer to start than to judge these few turns.
const known = new Map<string, Promise<BacktestReport>>();
const asRecorded = (file: string): Promise<BacktestReport> => {
  const report = known.get(file) ?? run(file, recorded);
  known.set(file, report);
  return report;
};

const logOf = (file: string): string => logs[file] ?? '';

const run = async (
  file: string,
  source: DraftSource,
  { filter = {}, workers = 1 }: { readonly filter?: TurnFilter; readonly workers?: number } = {},
): Promise<BacktestReport> => {
  const prepared = prepareBacktest({ log: logOf(file), source, filter, workers });
  if (prepared.kind !== 'ready') throw new Error(JSON.stringify(prepared));
  const outcome = await prepared.run();
  if (outcome.kind !== 'done') throw new Error(outcome.kind);
  return outcome.report;
};

/** The recorded config of the bypassed agent with these patterns denied. */
const denying = (denied: readonly string[]): DraftSource => ({
  file: 'draft.toml',
  text: `
[agents.clerk]
provider = "local"
risk_profile = "reading"
runtime_profile = "plain"
[providers.local]
type = "scripted"
script = "scripts/clerk.yaml"
prices = "free"
[risk_profiles.reading]
autonomy = "full"
[risk_profiles.reading.tools]
allowed = ["file_*"]
denied = ${JSON.stringify(denied)}
[runtime_profiles.plain.budgets]
max_tool_calls = 5
`,
});

const none = {
  unchanged: 0,
  newly_refused: 0,
  newly_asked: 0,
  newly_allowed: 0,
  beyond_horizon: 0,
};

const full = {
  verdict: 'allow',
  rule: 'approval.autonomy',
  key: 'approval.autonomy',
  why: 'full autonomy asks nobody',
};
const denied = {
  verdict: 'refuse',
  rule: 'tools.denied',
  key: 'tools.denied',
  why: '`builtin:file_write` is denied by the pattern `builtin:file_write`',
};

describe('given a log in which one path went around a denied list', () => {
  it('finds each call that the recorded config refuses, and nothing else', async () => {
    const report = await asRecorded(bypass);
    const all = { ...none, unchanged: 6, newly_refused: 2 };
    const change = {
      call: 'm1a1s0c1',
      tool: 'builtin:file_write',
      agent: 'clerk',
      path: 'loop',
      person: 'local:local',
      recorded: full,
      now: denied,
      change: 'newly_refused',
    };
    expect(report).toEqual({
      config: {
        version: 1,
        digest: '4cb4bef9ea6f59c3c6602b84697118e19770c99ff63871838d03217f9a3140af',
      },
      span: { first: 1796061134085, last: 1796061136508 },
      turns: { all: 4, unchanged: 2, changed: 2, notReachable: 0, stopped: 0, refused: 0 },
      verdicts: all,
      by: {
        tool: [
          { name: 'builtin:file_write', counts: { ...none, unchanged: 2, newly_refused: 2 } },
          { name: 'builtin:file_list', counts: { ...none, unchanged: 4 } },
        ],
        rule: [
          { name: 'tools.denied', counts: { ...none, unchanged: 2, newly_refused: 2 } },
          { name: 'approval.autonomy', counts: { ...none, unchanged: 4 } },
        ],
        path: [
          { name: 'loop', counts: { ...none, unchanged: 2, newly_refused: 2 } },
          { name: 'gateway', counts: { ...none, unchanged: 4 } },
        ],
        agent: [{ name: 'clerk', counts: all }],
        person: [{ name: 'local:local', counts: all }],
      },
      approvals: { perDay: null, recorded: 0, expected: 0, beyondHorizon: 0, wait: null },
      changes: [
        {
          ...change,
          turn: '01a22d95-ffee-7002-adda-45d73336a80c',
          time: 1796061134913,
          position: '00000000000000000030',
        },
        {
          ...change,
          turn: '01a22d96-066a-7002-9acb-2cfd6c33815d',
          time: 1796061136536,
          position: '00000000000000000059',
        },
      ],
      more: 0,
      unjudged: [],
      notes: [
        'the model would have been offered its tools without `builtin:file_write`: its recorded replies were used',
        'the policy was resolved by registry 1 and this build has registry 2: settings that did not act then were taken as recorded',
      ],
    });
  });

  it('finds each call that a draft without the list allows', async () => {
    const { config, verdicts, changes } = await run(bypass, denying([]));
    expect(config.version).toBeNull();
    expect(verdicts).toEqual({ ...none, unchanged: 6, newly_allowed: 2 });
    expect(changes.map(({ path, now, recorded: then }) => [path, then, now])).toEqual([
      ['gateway', denied, full],
      ['gateway', denied, full],
    ]);
  });

  it('reads a file that says the same as the recorded config to the same report', async () => {
    const { config, ...report } = await run(bypass, denying(['file_write']));
    const { config: inForce, ...wanted } = await asRecorded(bypass);
    expect(report).toEqual(wanted);
    expect([config.version, inForce.version]).toEqual([null, 1]);
  });

  it.each([
    ['of one path', { path: 'loop' }, 2],
    ['of one agent', { agent: 'clerk' }, 4],
    ['of an agent that is not there', { agent: 'nobody' }, 0],
    ['from a time on', { since: 1796061135000 }, 2],
    ['that are the newest', { limit: 3 }, 3],
    ['that are the newest of a path', { path: 'gateway', limit: 1 }, 1],
    ['of agents that may be seen', { sees: (agent: string) => agent !== 'clerk' }, 0],
  ] as const)('looks at turns %s alone', async (_, filter, turns) => {
    const db = openLogForReading(logOf(bypass));
    const index = turnIndex(db, filter);
    const listed = [];
    for await (const group of index.groups(2)) listed.push(...group);
    expect([await index.count(), listed.length]).toEqual([turns, turns]);
    expect(listed.map(({ position }) => position).sort()).toEqual(
      listed.map(({ position }) => position),
    );
    db.close();
  });
});

describe('given the turns of the demo', () => {
  it.each(demos)(
    'changes nothing of %s under the config that it was recorded under',
    async (file) => {
      const report = await asRecorded(file);
      expect(report.turns).toEqual({ ...report.turns, all: 11, unchanged: 11 });
      expect(report.changes).toEqual([]);
      expect(report.approvals.expected).toBe(report.approvals.recorded);
      expect(report.approvals.recorded).toBeGreaterThan(0);
    },
  );

  it('reports the same over one thread and over two', async () => {
    const file = demos[1] ?? '';
    const one = await asRecorded(file);
    expect(await run(file, recorded, { workers: 2 })).toEqual(one);
  });

  it('ends as cancelled when it is stopped between two groups', async () => {
    const stop = new AbortController();
    const prepared = prepareBacktest({ log: logOf(bypass), source: recorded, filter: {} });
    if (prepared.kind !== 'ready') throw new Error(prepared.kind);
    const seen: unknown[] = [];
    const outcome = await prepared.run({
      signal: stop.signal,
      onProgress: (progress) => {
        seen.push(progress);
        stop.abort();
      },
    });
    expect(outcome).toEqual({ kind: 'cancelled' });
    expect(seen).toEqual([{ done: 0, all: 4 }]);
  });

  it('keeps of a group of turns nothing for the next one', () => {
    const db = openLogForReading(logOf(bypass));
    const source = logSource(db, Number.MAX_SAFE_INTEGER);
    const kept = ['a', 'b', 'c'].map((name) => {
      const turns = source.forTurns([name]);
      for (const stream of ['config', `turn-${name}`, `turn-${name}`]) turns.stream(stream);
      return turns.kept();
    });
    expect(kept).toEqual([1, 1, 1]);
    db.close();
  });
});

/** Turns of one recorded log, one or more of each path. */
const eachPath = ['channel', 'delegate', 'gateway', 'loop', 'rpc', 'sop'].map(
  (path) => `test/replay/fixtures/path-${path}.jsonl`,
);

/** A log of all of them, with some of their events changed. */
const layEachPath = async (
  name: string,
  change: (event: LockstepEvent) => LockstepEvent = (event) => event,
): Promise<readonly LockstepEvent[]> => {
  const places = new Map<string, LockstepEvent>();
  for (const file of eachPath) {
    const read = readHistory(readFileSync(new URL(file, root), 'utf8'));
    if (!read.ok) throw new Error(`${file}: ${JSON.stringify(read.problems)}`);
    for (const event of read.events) places.set(event.position, change(event));
  }
  const events = [...places.values()].sort((a, b) => (a.position < b.position ? -1 : 1));
  const file = join(folders, `${name}.jsonl`);
  writeFileSync(file, events.map((event) => JSON.stringify(event)).join('\n'));
  const laid = await layHistory(file, join(folders, name), { clock: { now: () => 0 } });
  if (!laid.ok) throw new Error(JSON.stringify(laid));
  logs[name] = logPath(join(folders, name));
  return events.filter(({ type }) => type === 'TurnRequested');
};

describe('given turns of every path', () => {
  it('changes nothing under the config that they were recorded under', async () => {
    const begun = await layEachPath('each-path');
    const report = await run('each-path', recorded);
    const all = begun.length;
    expect(report.turns).toEqual({ ...report.turns, all, unchanged: all });
    expect(report.changes).toEqual([]);
    expect(report.by.path.map(({ name }) => name).sort()).toEqual([...pathNames].sort());
  });

  it('leaves out the turns of probes, with what they did', async () => {
    const probe = (event: LockstepEvent): LockstepEvent =>
      event.meta.path === 'gateway' && event.meta.turn !== null
        ? { ...event, meta: { ...event.meta, probe: 'p1' } }
        : event;
    const begun = await layEachPath('with-probes', probe);
    const report = await run('with-probes', recorded);
    const probed = begun.filter(({ meta }) => meta.probe !== undefined).length;
    expect([probed, report.turns.all]).toEqual([2, begun.length - 2]);
    expect(report.by.path.map(({ name }) => name)).not.toContain('gateway');
  });
});

describe('given a draft that cannot be used', () => {
  it('names every problem of the config', () => {
    const source = { file: 'draft.toml', text: '[agents.clerk]\nrisk_profil = "reading"\n' };
    const prepared = prepareBacktest({ log: logOf(bypass), source, filter: {} });
    expect(prepared.kind).toBe('invalid');
    expect(prepared.kind === 'invalid' ? prepared.problems.map(({ path }) => path) : []).toContain(
      'agents.clerk.risk_profil',
    );
  });

  it('says which version is the newest when there is no such one', () => {
    expect(prepareBacktest({ log: logOf(bypass), source: { version: 9 }, filter: {} })).toEqual({
      kind: 'missing',
      message: 'the log holds no config version 9, the newest is 1',
    });
  });

  it('says that the events lie on an event store, as an export does, and what to do', () => {
    const folder = mkdtempSync(join(folders, 'cluster-'));
    writeFileSync(join(folder, 'eventstore-index.db'), '');
    const message = `the events of \`${folder}\` lie on an event store and this reads the file of a log: ask a running daemon about one turn with \`lockstep replay\` or \`lockstep bisect\`, or name a data folder with the store \`sqlite\``;
    expect(prepareBacktest({ log: logPath(folder), source: recorded, filter: {} })).toEqual({
      kind: 'missing',
      message,
    });
    expect(() => openRecordedLog(folder)).toThrow(message);
  });

  it('says where it looked for a log', () => {
    const ask = { log: '/nowhere/log.db', source: recorded, filter: {} };
    expect(() => prepareBacktest(ask)).toThrow('there is no log at `/nowhere/log.db`');
  });
});
