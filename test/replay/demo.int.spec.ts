import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteLog } from '@lockstep/daemon';
import { counterfactuals, recordingOf, replayer, type LockstepEvent } from '@lockstep/engine';
import { pathNames, settingKeys, type AppliedConfig } from '@lockstep/policy';
import { rebuildLog } from '../support/log-folder.ts';
import { processFolder, type Ended, type ProcessFolder } from '../support/lockstep-process.ts';
import { turnOf } from './fixture-events.ts';
import { whatChanged } from './same-again.ts';

let place: ProcessFolder;
let played: Ended;
let events: readonly LockstepEvent[] = [];
const files = mkdtempSync(join(tmpdir(), 'lockstep-replay-'));

const root = (): string => `${place.data}-demo`;
const config = (): string => join(root(), 'config', 'lockstep.toml');
const ofDemo = (): string[] => ['--data', join(root(), 'data')];
const onDemo = (): string[] => ['--config', config(), ...ofDemo()];

beforeAll(async () => {
  process.env['DEMO_KEY'] ??= 'demo-replayed';
  place = await processFolder('', '');
  played = await place.lockstep(['--json', 'demo', '--no-console', '--once', '--port', '0']);
  events = await readLog(join(root(), 'data'));
}, 300_000);
afterAll(async () => {
  await place.remove();
  rmSync(files, { recursive: true, force: true });
});

const readLog = async (folder: string): Promise<readonly LockstepEvent[]> => {
  const { store } = await openSqliteLog({ folder, clock: { now: () => 0 } });
  const { events: all } = await store.readAll({ after: 'start', limit: 100_000 });
  await store.close();
  return all;
};

/** A history as a file of events, one a line. */
const written = (name: string, lines: readonly unknown[]): string => {
  const file = join(files, name);
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  return file;
};

/** All but the platforms that need a network. */
const triggers = [
  'acp',
  'bounded',
  'cron',
  'headless',
  'heartbeat',
  'independent',
  'json-rpc',
  'live',
  'openai',
  'peer',
  'rest',
  'run',
  'subagent',
  'webhook',
  'websocket',
];

/** A turn of these paths begins a conversation of its own, nobody listens to it while it works, or nothing came in on a channel. */
const cannot = [
  'channels.bindings on delegate: n/a',
  'channels.bindings on gateway: n/a',
  'channels.bindings on loop: n/a',
  'channels.bindings on rpc: n/a',
  'channels.bindings on sop: n/a',
  'context.keep_tool_results_turns on delegate: n/a',
  'context.keep_tool_results_turns on sop: n/a',
  'context.max_history_messages on delegate: n/a',
  'context.max_history_messages on sop: n/a',
  'output.stream on delegate: n/a',
];

// The words of the readme: one command, and every rule is seen at work on every path.
describe('`lockstep demo --once`', () => {
  it('ends with 0 when every setting has acted on every path on which it can', async () => {
    const report = JSON.parse(played.stdout) as {
      cells: { setting: string; path: string; state: string; reason: string | null }[];
      problems: string[];
      turns: number;
    };
    expect([report.problems, played.code], played.stderr).toEqual([[], 0]);
    expect(report.cells.length).toBe(settingKeys.length * pathNames.length);
    const others = report.cells.filter(({ state }) => state !== 'acted');
    expect(
      others.map(({ setting, path, state }) => `${setting} on ${path}: ${state}`).sort(),
    ).toEqual(cannot);
    const built = await rebuildLog(join(root(), 'data'));
    expect(built.turns).toBe(report.turns);
  });
});

// The demo makes every setting act on every path: what it records is the widest net there is.
describe('the turns of the demo', () => {
  it('come out the same, every one on each of the six paths', () => {
    const asked = events.filter(({ type }) => type === 'TurnRequested');
    expect([...new Set(asked.map(({ meta }) => meta.path))].sort()).toEqual([...pathNames].sort());
    expect([...new Set(asked.map(({ meta }) => meta.trigger))].sort()).toEqual(triggers);
    const all = replayer(events);
    const reports = all.turns.map((turn) => all.replay(turn, 'required'));
    expect(reports.length).toBe(asked.length);
    expect(reports.filter(({ outcome }) => outcome !== 'same')).toEqual([]);
  });

  it('are unchanged, and have no horizon, when nothing else is put to them', () => {
    const all = counterfactuals(events);
    const changed = all.turns.flatMap(
      (turn) => whatChanged(all.compare(turn, 'required', { steps: 'all' })) ?? [],
    );
    expect(changed).toEqual([]);
  });

  it('hold a change of the config of a turn in the bounded turns below it', () => {
    const below = startedBy('bounded');
    expect(below.length).toBeGreaterThan(0);
    for (const { turn, parent } of below) {
      const draft = withoutTool('builtin:time_now', [parent.snapshot.agent]);
      const report = counterfactuals(events).compare(turn, 'required', { config: draft });
      const denied =
        report.outcome === 'compared'
          ? report.policy.find(({ key }) => key === 'tools.denied')
          : undefined;
      expect(JSON.parse(denied?.now ?? '[]')).toContain('builtin:time_now');
    }
  });

  it('would not have begun below a call that would have been refused', () => {
    for (const { turn, parent } of startedBy('bounded')) {
      const draft = withoutTool('builtin:delegate', [parent.snapshot.agent]);
      expect(counterfactuals(events).compare(turn, 'required', { config: draft })).toMatchObject({
        outcome: 'not_reachable',
        turn,
        why: expect.stringMatching(
          /^the call that started this turn would have been refused by `tools.denied`/,
        ) as string,
      });
    }
  });
});

const startedBy = (trigger: string) =>
  events.flatMap((event) =>
    event.type === 'TurnRequested' &&
    event.data.trigger === trigger &&
    event.data.records.parent !== undefined
      ? [{ turn: event.stream.slice('turn-'.length), parent: event.data.records.parent }]
      : [],
  );

/** The newest recorded config with a tool denied to some agents, as a draft. */
const withoutTool = (tool: string, agents: readonly string[]): AppliedConfig => {
  const versions = events.flatMap((event) =>
    event.type === 'ConfigApplied' ? [event.data.version] : [],
  );
  const found = recordingOf(events).config({ version: versions.at(-1) ?? 1, digest: null });
  if (!found.ok) throw new Error('the demo records no config');
  const { config } = found.value;
  const changed = Object.entries(config.agents).map(([alias, agent]) => [
    alias,
    agents.includes(alias) ? { ...agent, tools: { ...agent.tools, denied: [tool] } } : agent,
  ]);
  return { ...found.value, version: 0, config: { ...config, agents: Object.fromEntries(changed) } };
};

describe('given the command line', () => {
  it('replays a turn of a running daemon, under another config too, and ends with 0 when it is the same', async () => {
    const daemon = await place.up(onDemo());
    try {
      const turn = turnOf(events, 'edit the note');
      const said = await place.lockstep(['replay', turn, ...ofDemo()]);
      expect([said.code, said.stderr]).toEqual([0, '']);
      expect(said.stdout).toMatch(
        new RegExp(`^same turn ${turn}: \\d+ events came out as recorded\\n$`),
      );
      const json = await place.lockstep(['replay', turn, '--json', ...ofDemo()]);
      expect(JSON.parse(json.stdout)).toMatchObject({ outcome: 'same', turn, ended: true });
      const unknown = await place.lockstep(['replay', 'nobody', ...ofDemo()]);
      expect([unknown.code, unknown.stderr]).toEqual([
        2,
        'lockstep: there is no turn `nobody` (not_found)\n',
      ]);
      // Here the config is another policy. It is the one in force, so nothing changes.
      const under = await place.lockstep(['replay', turn, '--json', ...onDemo()]);
      expect([under.code, JSON.parse(under.stdout)]).toMatchObject([
        0,
        {
          outcome: 'compared',
          turn,
          horizon: null,
          policy: [],
          now: { config: { version: null } },
        },
      ]);
      const broken = written('broken.toml', [3]);
      const refused = await place.lockstep(['replay', turn, '--config', broken, ...ofDemo()]);
      expect([refused.code, refused.stderr.includes('(invalid_config)')]).toEqual([2, true]);
    } finally {
      await daemon.stop();
    }
  });

  it('shows both sides of the first difference in an exported history and ends with 1', async () => {
    const file = fileURLToPath(new URL('../../examples/divergence/history.jsonl', import.meta.url));
    const said = await place.lockstep(['replay', '--file', file]);
    expect(said.code).toBe(1);
    const lines = said.stdout.split('\n');
    expect(lines.filter((line) => line.startsWith('same turn')).length).toBe(2);
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^diverged turn .* at event 1 \(PolicyResolved, position \d{20}\), after 1 equal events: one field differs$/,
      ),
    );
    expect(said.stdout).toContain(
      '  snapshot.inline.tools.denied[0]\n    recorded  not there\n    replayed  "builtin:file_write"\n',
    );
  });

  it('says what is wrong with a history that was cut, and where, and ends with 1', async () => {
    const fixture = new URL('fixtures/demo-loop.jsonl', import.meta.url);
    const lines = readFileSync(fixture, 'utf8').trim().split('\n');
    const whole = lines.map((line) => JSON.parse(line) as LockstepEvent);
    const turn = turnOf(whole, 'edit the note');
    const own = whole.filter((event) => event.stream === `turn-${turn}`);
    const cut = written(
      'cut.jsonl',
      whole.filter((event) => event !== own[4]),
    );
    const said = await place.lockstep(['replay', turn, '--file', cut]);
    expect([said.code, said.stdout]).toEqual([
      1,
      `refused turn ${turn}: this is no history as it was recorded\n  turn-${turn}@5: revision 4 is missing: the history was cut\n`,
    ]);
    const broken = await place.lockstep(['replay', '--file', written('no.jsonl', [{ type: 'x' }])]);
    expect([broken.code, broken.stdout.split('\n')[1]]).toEqual([
      1,
      '  line 1: type: unknown event type `x`',
    ]);
    const gone = await place.lockstep(['replay', '--file', join(files, 'gone.jsonl')]);
    expect(gone.code).toBe(2);
  });
});
