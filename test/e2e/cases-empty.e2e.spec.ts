import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { eventually } from '../support/eventually.ts';
import { rpcClient } from '../support/rpc-client.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

// Elsewhere an empty list was taken for one that nobody wrote, and so for everything.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const config = `
[agents.alpha]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
[agents.none]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
tools = { allowed = [] }
[risk_profiles.open]
autonomy = "full"
tools = { allowed = "*" }
[risk_profiles.open.delegation]
mode = "allow"
spawn = true
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[cron.nightly]
agent = "alpha"
schedule = "0 3 * * *"
prompt = "by-cron"
tools = []
[sops.walk]
[[sops.walk.steps]]
agent = "alpha"
prompt = "by-step"
tools = []
`;
const script = `
scenarios:
  - when: send somebody
    steps:
      - calls: [{ tool: spawn, args: { input: by-spawn, tools: [] } }]
      - say: done
  - when: make a job
    steps:
      - calls: [{ tool: cron_add, args: { name: mine, schedule: "0 1 * * *", prompt: by-own-job, tools: [] } }]
      - say: done
default: [{ say: fine }]
`;

let run: RunningDaemon;
beforeAll(async () => {
  run = await runDaemon(config, script);
});
afterAll(() => run.remove());

const eventsOf = async (types: string): Promise<readonly LockstepEvent[]> => {
  const { body } = await run.admin().get(`/v1/events?types=${types}&limit=500`);
  return (body as { readonly items: readonly LockstepEvent[] }).items;
};
/** What the turn with this input was offered. */
const offeredFor = (input: string): Promise<readonly string[]> =>
  eventually(`the first model call for \`${input}\``, async () => {
    const asked = (await eventsOf('TurnRequested')).find(
      (event) =>
        event.type === 'TurnRequested' &&
        'inline' in event.data.input &&
        event.data.input.inline === input,
    );
    const called = (await eventsOf('ModelCallStarted')).find(
      ({ stream }) => stream === asked?.stream,
    );
    return called?.type === 'ModelCallStarted' ? called.data.advertised : null;
  });
const ask = async (agent: string, input: string): Promise<void> => {
  const { status, text } = await run
    .admin()
    .post(`/v1/agents/${agent}/turns`, { input, wait: true });
  expect(status, text).toBe(200);
};

const ways: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['by-agent', () => ask('none', 'by-agent')],
  ['by-spawn', () => ask('alpha', 'send somebody')],
  ['by-cron', () => run.admin().post('/v1/jobs/nightly/run')],
  [
    'by-own-job',
    async () => {
      await ask('alpha', 'make a job');
      await run.admin().post('/v1/jobs/mine/run');
    },
  ],
  ['by-step', () => run.admin().post('/v1/sops/walk/runs', { input: 'x' })],
  [
    'by-socket',
    async () => {
      const { call, close } = await rpcClient(run.data);
      await call('initialize', { tools: [] });
      await call('turns.start', { agent: 'alpha', input: 'by-socket', wait: true });
      close();
    },
  ],
];

describe('given an empty list of tools', () => {
  it.each(ways)('offers none: %s', async (input, start) => {
    await start();
    expect(await offeredFor(input)).toEqual([]);
  });

  it('offers many where nobody wrote a list', async () => {
    await ask('alpha', 'hello');
    expect((await offeredFor('hello')).length).toBeGreaterThan(10);
  });

  it('issues no token for no tool', async () => {
    const wish = { name: 'empty', roles: ['operator'], scopes: { agents: ['*'], tools: [] } };
    const { status, body } = await run.admin().post('/v1/tokens', wish);
    expect([status, (body as { readonly code: string }).code]).toEqual([400, 'invalid_body']);
    expect(JSON.stringify(body)).toContain('tools');
  });
});
