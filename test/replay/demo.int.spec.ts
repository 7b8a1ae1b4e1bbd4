import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteLog } from '@lockstep/daemon';
import { replayer, type LockstepEvent } from '@lockstep/engine';
import { pathNames, settingKeys } from '@lockstep/policy';
import { rebuildLog } from '../support/log-folder.ts';
import { processFolder, type Ended, type ProcessFolder } from '../support/lockstep-process.ts';
import { turnOf } from './fixture-events.ts';

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
});

describe('given the command line', () => {
  it('replays a turn of a running daemon and ends with 0 when it is the same', async () => {
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
