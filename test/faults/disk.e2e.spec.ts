import type { LockstepEvent } from '@lockstep/engine';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { approveAll } from '../support/rich-team.ts';
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
enabled = false
[sops.release]
triggers = ["manual"]
[[sops.release.steps]]
agent = "alpha"
prompt = "{{input}}"
`;
const script = `
scenarios:
  - when: "write"
    steps:
      - calls: [{ tool: "file_write", args: { path: "a.md", content: "x" } }]
      - say: "written"
default: [{ say: "plain" }]
`;

let running: RunningDaemon | null = null;
afterEach(() => running?.remove());

it('refuses new work when the disk fills up, then every further step, and goes on when there is room', async () => {
  let used = 50;
  running = await runDaemon(config, script, {
    readDisk: () =>
      Promise.resolve({ blocks: 1_000, bfree: 1_000 - used * 10, bavail: 1_000 - used * 10 }),
  });
  const { url } = running;
  const admin = running.admin();
  const fill = async (percent: number): Promise<unknown> => {
    used = percent;
    return eventually('the daemon to see its disk', async () => {
      const health = (await (await fetch(`${url()}/healthz`)).json()) as { diskPercent: number };
      return health.diskPercent === percent ? health : null;
    });
  };
  const start = (input: string) => admin.post('/v1/agents/alpha/turns', { input, wait: true });
  const refused = async (path: string, body?: object): Promise<unknown> => {
    const { status, body: problem } = await admin.post(path, body);
    return [status, (problem as { code: string }).code];
  };
  const full = [503, 'disk_full'];
  const asked = (await start('write')).body as { id: string; status: string };
  expect(asked.status).toBe('waiting');

  expect(await fill(90)).toMatchObject({ status: 'ok', disk: 'high', diskPercent: 90 });
  expect(await (await fetch(`${url()}/readyz`)).json()).toEqual({
    status: 'not ready',
    missing: ['disk'],
  });
  expect(await refused('/v1/agents/alpha/turns', { input: 'plain' })).toEqual(full);
  expect(await refused('/v1/agents/alpha/runs', { input: 'plain' })).toEqual(full);
  expect(await refused('/v1/sops/release/runs', { input: 'x' })).toEqual(full);
  expect(await refused('/v1/jobs/often/run')).toEqual(full);
  expect((await admin.post('/v1/tokens', { name: 'ci', roles: ['viewer'] })).status).toBe(201);

  expect(await fill(95)).toMatchObject({ disk: 'full' });
  expect(await refused('/v1/tokens', { name: 'ci2', roles: ['viewer'] })).toEqual(full);
  expect(await refused(`/v1/turns/${asked.id}/steer`, { text: 'hurry' })).toEqual(full);
  expect(await approveAll(admin)).toBe(1);
  expect((await admin.post('/v1/stop', { why: 'full' })).status).toBe(200);
  expect((await admin.delete('/v1/stop')).status).toBe(200);
  const types = async (): Promise<string[]> => {
    const { body } = await admin.get(`/v1/turns/${asked.id}/events`);
    return (body as { items: LockstepEvent[] }).items.map(({ type }) => type);
  };
  await eventually('the stop to reach the turn', async () =>
    (await types()).includes('TurnCancelled') ? true : null,
  );

  await fill(40);
  const answer = (await start('plain')).body as { status: string };
  expect(answer.status).toBe('completed');
  expect((await fetch(`${url()}/readyz`)).status).toBe(200);
});

it('holds a turn between two steps while the disk is too full for one, and takes it up', async () => {
  let used = 50;
  running = await runDaemon(config, script, {
    readDisk: () =>
      Promise.resolve({ blocks: 1_000, bfree: 1_000 - used * 10, bavail: 1_000 - used * 10 }),
  });
  const admin = running.admin();
  const { url } = running;
  const asked = (await admin.post('/v1/agents/alpha/turns', { input: 'write', wait: true }))
    .body as {
    id: string;
  };
  used = 97;
  await eventually('the daemon to see its disk', async () => {
    const health = (await (await fetch(`${url()}/healthz`)).json()) as { disk: string };
    return health.disk === 'full' ? true : null;
  });
  expect(await approveAll(admin)).toBe(1);
  const types = async (): Promise<string[]> => {
    const { body } = await admin.get(`/v1/turns/${asked.id}/events`);
    return (body as { items: LockstepEvent[] }).items.map(({ type }) => type);
  };
  // The decision is recorded, and nothing follows from it yet.
  await eventually('the decision', async () =>
    (await types()).includes('ApprovalGranted') ? true : null,
  );
  await new Promise((later) => setTimeout(later, 300));
  expect((await types()).at(-1)).toBe('ApprovalGranted');
  used = 30;
  await eventually('the end of the turn', async () =>
    (await types()).includes('TurnCompleted') ? true : null,
  );
});
