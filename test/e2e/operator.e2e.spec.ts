import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LockstepEvent } from '@lockstep/engine';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { doneLines } from '../support/rich-team.ts';
import { runDaemon, type Caller, type RunningDaemon } from '../support/running-daemon.ts';
import { countingServer } from '../support/counting-server.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const config = (lines: string): string => `
[providers.local]
type = "scripted"
script = "script.yaml"
[risk_profiles.open]
autonomy = "supervised"
[risk_profiles.open.tools]
allowed = ["mcp:count/*", "sop_start", "file_write"]
[risk_profiles.open.approval]
auto_approve = ["mcp:count/append", "mcp:count/hold", "sop_start"]
[risk_profiles.open.delegation]
mode = "allow"
sops = ["release"]
[risk_profiles.eyes]
autonomy = "supervised"
[risk_profiles.eyes.approval]
four_eyes = true
[runtime_profiles.short.budgets]
max_tool_iterations = 200
max_tool_calls = 1000
max_actions_per_hour = "unlimited"
loop_detection = { window = 200, max_repeats = 200 }
[agents.busy]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
mcp_bundles = ["count"]
[agents.checker]
provider = "local"
risk_profile = "eyes"
runtime_profile = "short"
[sops.release]
triggers = ["tool"]
[[sops.release.steps]]
agent = "checker"
prompt = "check {{input}}"
gate = "approval"
${countingServer(lines, ['append', 'asked', 'hold', 'again'])}
[people.ana]
identities = ["token:ana"]
roles = ["operator", "approver"]
[people.ben]
identities = ["token:ben"]
roles = ["approver"]
`;

/** Steps of one call each, one after the other. */
const steps = Array.from(
  { length: 60 },
  (_, n) => `      - calls: [{ tool: "mcp:count/append", args: { line: "{{turn}} ${n}" } }]`,
).join('\n');
const script = `
scenarios:
  - when: keep busy
    steps:
${steps}
      - say: through
  - when: think
    steps: [{ say: late, wait_ms: 600000 }]
  - when: ask
    steps:
      - calls: [{ tool: "mcp:count/asked", args: { line: asked } }]
      - say: asked
  - when: hang
    steps:
      - calls: [{ tool: "mcp:count/hold", args: { line: held } }]
      - say: "{{results.0}}"
  - when: release
    steps:
      - calls: [{ tool: sop_start, args: { name: release, input: it } }]
      - say: released
default: [{ say: plain }]
`;

let folder: string;
let lines: string;
let run: RunningDaemon;
let tokens: Readonly<Record<'ana' | 'ben', string>>;
const ana = (): Caller => run.as(tokens.ana);
const ben = (): Caller => run.as(tokens.ben);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-operator-'));
  lines = join(folder, 'lines');
  run = await runDaemon(config(lines), script);
  const roles = ['operator', 'approver', 'auditor'];
  const { token } = await run.issue({ name: 'ana', roles });
  tokens = { ana: token, ben: (await run.issue({ name: 'ben', roles: ['approver'] })).token };
});
afterAll(async () => {
  await run.remove();
  await rm(folder, { recursive: true, force: true });
});

const start = async (input: string, by = run.admin()): Promise<string> => {
  const { body } = await by.post('/v1/agents/busy/turns', { input });
  return (body as { readonly id: string }).id;
};
const eventsOf = async (turn: string): Promise<readonly LockstepEvent[]> => {
  const { body } = await run.admin().get(`/v1/turns/${turn}/events?limit=1000`);
  return (body as { readonly items: readonly LockstepEvent[] }).items;
};
const lastOf = async (turn: string): Promise<string> => (await eventsOf(turn)).at(-1)?.type ?? '';
const until = (what: string, turn: string, type: string): Promise<true> =>
  eventually(what, async () => ((await lastOf(turn)) === type ? true : null), 60_000);
const ofType = async (type: string): Promise<readonly LockstepEvent[]> => {
  const { body } = await run.admin().get(`/v1/events?types=${type}&after=start&limit=1000`);
  return (body as { readonly items: readonly LockstepEvent[] }).items;
};
const statusOf = async (turn: string): Promise<string> => {
  const { body } = await run.admin().get(`/v1/turns/${turn}`);
  return (body as { readonly answer: { readonly status: string } }).answer.status;
};

describe('given an emergency stop over turns that work, think and wait', () => {
  it('lets nothing take effect that was recorded after it, ends every turn, and says who resumed', async () => {
    const busy = await Promise.all(Array.from({ length: 12 }, () => start('keep busy')));
    const others = [await start('think'), await start('ask')];
    const turns = [...busy, ...others];
    await until('a request', others[1] ?? '', 'ApprovalRequested');
    await eventually('calls that ran', async () =>
      (await doneLines(lines)).length > 20 ? true : null,
    );

    expect((await ana().post('/v1/stop', { why: 'smoke' })).status).toBe(200);
    for (const turn of turns) await until('the end of a turn', turn, 'TurnCancelled');
    const refused = await run.admin().post('/v1/agents/busy/turns', { input: 'plain' });
    expect((refused.body as { readonly code: string }).code).toBe('stopped');

    const [stop] = await ofType('EmergencyStopSet');
    const events = (await Promise.all(turns.map(eventsOf))).flat();
    const late = events.filter(({ position }) => position > (stop?.position ?? ''));
    const tookEffect = late.flatMap((one) => {
      if (one.type === 'ToolCallStarted')
        return late.some(
          (end) =>
            end.type === 'ToolCallCompleted' &&
            end.stream === one.stream &&
            end.data.call === one.data.call,
        )
          ? [`${one.stream} ${one.data.call}`]
          : [];
      if (one.type !== 'ModelCallStarted') return [];
      return late.some(
        (end) =>
          end.type === 'ModelCallCompleted' &&
          end.stream === one.stream &&
          end.data.modelCall === one.data.modelCall,
      )
        ? [`${one.stream} model ${one.data.modelCall}`]
        : [];
    });
    expect(tookEffect).toEqual([]);
    // Outside, as many calls ran as were begun before it, and none of the others.
    const before = events.filter(
      ({ type, position }) => type === 'ToolCallStarted' && position < (stop?.position ?? ''),
    );
    expect((await doneLines(lines)).length).toBeLessThanOrEqual(before.length);
    const closed = events.filter(({ type }) => type === 'ApprovalClosed');
    expect(closed.map(({ data }) => data)).toMatchObject([{ reason: 'emergency_stop' }]);

    await run.stop();
    await run.start();
    expect((await run.admin().get('/v1/stop')).body).toMatchObject({
      stops: [{ agent: null, by: stop?.meta.principal?.id, why: 'smoke' }],
    });
    expect((await ana().delete('/v1/stop')).status).toBe(200);
    const [cleared] = await ofType('EmergencyStopCleared');
    expect(cleared?.meta.principal?.person).toBe('ana');
    const plain = await start('plain');
    await until('a turn that runs', plain, 'TurnCompleted');
  });
});

describe('given calls whose outcome nobody knows', () => {
  it('refuses the same call until it is settled, and runs it again only where that was the word', async () => {
    const session = (name: string): object => ({ input: 'hang', session: `session-busy-${name}` });
    const names = ['retry', 'done', 'failed'] as const;
    const lost: Record<string, string> = {};
    for (const name of names) {
      const { body } = await run.admin().post('/v1/agents/busy/turns', session(name));
      lost[name] = (body as { readonly id: string }).id;
      await until('a call that hangs', lost[name], 'ToolCallStarted');
    }
    const held = async (): Promise<number> =>
      (await doneLines(lines)).filter((line) => line === 'held').length;
    await eventually('calls that hang', async () => ((await held()) === 3 ? true : null));
    await run.stop();
    await writeFile(`${lines}.go`, '');
    await run.start();

    const unknown = async () =>
      (await run.admin().get('/v1/unknown-outcomes')).body as {
        readonly items: readonly { readonly turn: string; readonly call: string }[];
      };
    await eventually('outcomes that are unknown', async () =>
      (await unknown()).items.length === 3 ? true : null,
    );
    const again = async (name: string): Promise<string> => {
      const { body } = await run.admin().post('/v1/agents/busy/turns', session(name));
      const { id } = body as { readonly id: string };
      await until('a turn that ends', id, 'TurnCompleted');
      return (await eventsOf(id)).map(({ type }) => type).join();
    };
    expect(await again('retry')).toContain('ToolCallRefused');
    const { items } = await unknown();
    for (const name of names) {
      const one = items.find(({ turn }) => turn === lost[name]);
      const path = `/v1/turns/${one?.turn ?? ''}/calls/${one?.call ?? ''}/settle`;
      expect((await ana().post(path, { as: name })).status).toBe(200);
      expect((await ana().post(path, { as: name })).status).toBe(404);
      expect(await again(name)).toContain('ToolCallCompleted');
    }
    expect((await unknown()).items).toEqual([]);
    const settled = await ofType('UnknownOutcomeSettled');
    expect(settled.map(({ data }) => data)).toMatchObject(
      names.map((as) => ({ as, by: { person: 'ana' } })),
    );
    expect(await held()).toBe(6);
    expect(await readFile(`${lines}.go`, 'utf8')).toBe('');
  });
});

describe('given a procedure under four eyes that an agent starts', () => {
  it('keeps out whoever asked the agent, and takes the word of another person alone', async () => {
    const turn = await start('release', ana());
    const gate = await eventually('a gate', async () => {
      const { body } = await run.admin().get('/v1/approvals');
      return (
        (body as { items: { id: string; revision: number; shown: string }[] }).items[0] ?? null
      );
    });
    const { id, revision, shown } = gate;
    const decide = (by: Caller) =>
      by.post(`/v1/approvals/${id}/decision`, { choice: 'once', revision, shown });
    expect((await decide(ana())).status).toBe(403);
    expect((await decide(run.admin())).status).toBe(403);
    expect(await statusOf(turn)).not.toBe('completed');
    expect((await decide(ben())).status).toBe(200);
    await until('the end of the turn', turn, 'TurnCompleted');
  });
});
