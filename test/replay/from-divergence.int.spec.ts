import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkHistory, runCli, verifyHistory } from '@lockstep/daemon';
import { bisect, readHistory, thisBuild, type Engine } from '@lockstep/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';
import { eventsIn } from './fixture-events.ts';

const example = new URL('../../examples/divergence/history.jsonl', import.meta.url);
const file = fileURLToPath(example);
const guide = new URL('../../docs/guides/from-divergence-to-fixture.md', import.meta.url);
/** The turn of the example that a bypass let write. */
const widened = '01a22d95-ffee-7002-adda-45d73336a80c';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-story-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const lockstep = async (...argv: readonly string[]) => {
  let [out, notes] = ['', ''];
  const code = await runCli(argv, {
    env: {},
    cwd: folder,
    write: (text) => (out += text),
    note: (text) => (notes += text),
    now: () => 0,
    version: '0.1.0',
  });
  return { code, out: out.replace(/\u001b\[\d+m/g, ''), notes };
};

/** A build in which the loop path forgets the denied list, as the one that recorded the example. */
const bypassing: Engine = {
  ...thisBuild,
  resolve: (applied, request, records) => {
    if (request.origin.kind !== 'run') return thisBuild.resolve(applied, request, records);
    const { risk_profiles: profiles } = applied.config;
    const risk_profiles = Object.fromEntries(
      Object.entries(profiles).map(([name, profile]) => [
        name,
        { ...profile, tools: { ...profile.tools, denied: [] } },
      ]),
    );
    const config = { ...applied.config, risk_profiles };
    return thisBuild.resolve({ ...applied, config }, request, records);
  },
};

describe('a path that went past the policy', () => {
  it('is found by the replay on another path', async () => {
    const said = await lockstep('replay', widened, '--file', file, '--path', 'gateway');
    expect(said.code).toBe(1);
    expect(said.out).toContain('builtin:file_write');
    expect(said.out).toMatch(/refuse/);
  });

  it('is told from a fault of config, with the event at which it was judged otherwise', async () => {
    const report = bisect(eventsIn(example), { turn: widened });
    expect(report).toMatchObject({
      outcome: 'not_config',
      at: { type: 'PolicyResolved', revision: 1 },
    });
    const said = await lockstep('bisect', widened, '--file', file);
    expect(said.out).toContain(
      "the recorded verdict is allow by approval.autonomy, and the turn's own config gives refuse by tools.denied",
    );
  });

  it('is shrunk to a fixture that fails in the build that has it, and no longer in one that is mended', async () => {
    const out = join(folder, 'bypass');
    const said = await lockstep('minimize', widened, '--file', file, '--out', out);
    expect(said.code).toBe(0);
    const fixture = join(out, `${widened}.min.jsonl`);
    const read = readHistory(readFileSync(fixture, 'utf8'));
    expect(read.ok && read.events.length).toBe(7);
    expect(checkHistory('fixture', read, { engine: bypassing })).toMatchObject({
      state: 'not_as_expected',
      expected: { verdict: 'refuse', rule: 'tools.denied' },
      seen: { verdict: 'allow' },
    });
    expect(await verifyHistory(fixture)).toMatchObject({ state: 'as_expected' });
    expect((await lockstep('histories', 'verify', out)).code).toBe(0);
  });

  it('is what the guide shows, word for word', async () => {
    const text = readFileSync(guide, 'utf8');
    const bisected = await lockstep('bisect', widened, '--file', file);
    expect(text).toContain(bisected.out.trim());
    const minimized = await lockstep(
      'minimize',
      widened,
      '--file',
      file,
      '--out',
      join(folder, 'f'),
    );
    for (const line of minimized.out.trim().split('\n').slice(0, 2)) expect(text).toContain(line);
    const verified = await lockstep('histories', 'verify', join(folder, 'f'));
    expect(text).toContain(verified.out.trim());
  });
});

const config = (denied: string): string => `
[agents.clerk]
provider = "local"
risk_profile = "reading"
runtime_profile = "plain"
[people.ana]
identities = ["token:ana"]
roles = []
[risk_profiles.reading]
autonomy = "full"
[risk_profiles.reading.tools]
allowed = ["file_*"]
denied = [${denied}]
[runtime_profiles.plain.budgets]
max_tool_calls = 5
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;
const script = `
scenarios:
  - when: "write"
    steps:
      - calls: [{ tool: "file_write", args: { path: "a.md", content: "x" } }]
      - say: "written"
default: [{ say: "plain" }]
`;

describe('a config that dropped a denied list', () => {
  let running: RunningDaemon;
  let turn = '';
  beforeAll(async () => {
    running = await runDaemon(config('"file_write"'), script);
    const put = async (text: string): Promise<void> => {
      const etag = (await running.admin().get('/v1/config')).headers['etag'] ?? '';
      const done = await running.admin().put('/v1/config', { text }, { 'if-match': etag });
      expect(done.status).toBe(200);
    };
    await put(`${config('"file_write"')}[gateway]\nport = 7421\n`);
    await put(`${config('')}[gateway]\nport = 7422\n`);
    await put(`${config('')}[gateway]\nport = 7423\n`);
    const answer = await running
      .admin()
      .post('/v1/agents/clerk/turns', { input: 'write', wait: true });
    expect(answer.body).toMatchObject({ status: 'completed' });
    turn = (answer.body as { readonly id: string }).id;
  }, 60_000);
  afterAll(() => running.remove());

  it('is named with its version and the one key, over REST and on the command line', async () => {
    const auditor = await running.issue({ name: 'audit', roles: ['auditor'], scopes: {} });
    const answer = await auditor.post('/v1/bisects', { turn });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      outcome: 'found',
      turn,
      tool: 'builtin:file_write',
      before: { version: 2, verdict: { verdict: 'refuse', rule: 'tools.denied' } },
      after: { version: 3, verdict: { verdict: 'allow' } },
      keys: [
        {
          path: 'risk_profiles.reading.tools.denied',
          before: '["file_write"]',
          after: '[]',
          setting: 'tools.denied',
        },
      ],
    });
    const said = await lockstep('--data', running.data, 'bisect', turn, '--call', '1');
    expect([said.code, said.out]).toEqual([
      0,
      expect.stringContaining(
        'risk_profiles.reading.tools.denied (tools.denied)\n    before  ["file_write"]\n    after   []\n',
      ),
    ]);
  });

  it('becomes a fixture that fails until the config is mended', async () => {
    const out = join(folder, 'config');
    const data = ['--data', running.data];
    const none = await lockstep(...data, 'minimize', turn, '--out', out);
    expect([none.code, none.out]).toEqual([1, expect.stringContaining('does not diverge')]);
    const said = await lockstep(...data, 'minimize', turn, '--config-version', '2', '--out', out);
    expect([said.code, said.notes]).toEqual([0, '']);
    const wrong = await lockstep('histories', 'verify', out, '--junit', join(folder, 'j.xml'));
    expect([wrong.code, wrong.out]).toEqual([
      1,
      expect.stringMatching(
        /^not as expected .*: refuse `builtin:file_write` \(call `\w+`\) by tools\.denied\n {2}now allow by /,
      ),
    ]);
    expect(await readFile(join(folder, 'j.xml'), 'utf8')).toContain('failures="1"');
    const mended = join(folder, 'mended.toml');
    await writeFile(mended, config('"file_write"'));
    await writeFile(join(folder, 'script.yaml'), script);
    const held = await lockstep('--config', mended, 'histories', 'verify', out);
    expect([held.code, held.out]).toEqual([0, expect.stringMatching(/^as expected /)]);
    const [fixture] = readdirSync(out);
    const read = readHistory(readFileSync(join(out, fixture ?? ''), 'utf8'));
    const applied = read.ok ? read.events.find((event) => event.type === 'ConfigApplied') : null;
    const content = applied?.data.content;
    const kept: unknown =
      content !== undefined && 'inline' in content ? JSON.parse(content.inline) : {};
    expect(Object.keys(kept as object).sort()).toEqual([
      'agents',
      'providers',
      'risk_profiles',
      'runtime_profiles',
    ]);
  });
});
