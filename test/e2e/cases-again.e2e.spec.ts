import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { eventually } from '../support/eventually.ts';
import { rpcClient } from '../support/rpc-client.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';
import { postWebhook } from '../support/signed-webhook.ts';
import { startByAcp, startByWebSocket } from '../support/start-by.ts';

// Elsewhere a session that was taken up again ran with other rights than before, and a log that held odd text could not be read.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const secret = 'key-of-the-cases';
process.env['CASES_AGAIN_SECRET'] = secret;

/** Everything that some reader takes for the end of a line. */
const odd = 'one\ntwo\r\nthree\u2028four\u2029five\u0085six\u000bseven\u000ceight\r';

const config = `
[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
channels = ["webhook.main"]
[risk_profiles.careful]
autonomy = "supervised"
[risk_profiles.careful.tools]
allowed = ["file_*", "memory_*", "time_now"]
[risk_profiles.careful.approval]
auto_approve = ["file_*"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[channels.webhook.main]
secret = { env = "CASES_AGAIN_SECRET" }
[peer_groups.main]
channel = "webhook.main"
agents = ["alpha"]
external_peers = ["ana"]
[cron.nightly]
agent = "alpha"
schedule = "0 3 * * *"
prompt = "hello"
tools = ["time_now"]
[heartbeat.alpha]
every = "12h"
prompt = "hello"
[sops.walk]
[[sops.walk.steps]]
agent = "alpha"
prompt = "hello"
`;
const script = `
scenarios:
  - when: write lines
    steps:
      - calls: [{ tool: file_write, args: { path: "lines.txt", content: ${JSON.stringify(odd)} } }]
      - calls: [{ tool: file_read, args: { path: "lines.txt" } }]
      - say: ${JSON.stringify(odd)}
default: [{ say: fine }]
`;

let run: RunningDaemon;
beforeAll(async () => {
  run = await runDaemon(config, script);
  await mkdir(join(run.data, 'workspaces/alpha'), { recursive: true });
});
afterAll(() => run.remove());

let messages = 0;
const ways: Readonly<Record<string, () => Promise<unknown>>> = {
  rest: () => run.admin().post('/v1/agents/alpha/turns', { input: 'hello', session: 'kept-rest' }),
  run: () => run.admin().post('/v1/agents/alpha/runs', { input: 'hello' }),
  'json-rpc': async () => {
    const { call, close } = await rpcClient(run.data);
    await call('initialize', { tools: ['file_read'] });
    const start = { agent: 'alpha', input: 'hello', session: 'kept-rpc', wait: true };
    await call('turns.start', start);
    close();
  },
  acp: () =>
    startByAcp(run.data, { agent: 'alpha', input: 'hello' }, join(run.data, 'workspaces/alpha')),
  websocket: () => startByWebSocket(run.url(), run.local(), { agent: 'alpha', input: 'hello' }),
  webhook: () => {
    messages += 1;
    return postWebhook(
      { url: run.url(), alias: 'main', secret },
      { id: `m${messages}`, conversation: 'room', sender: 'ana', text: 'hello' },
    );
  },
  cron: () => run.admin().post('/v1/jobs/nightly/run'),
  heartbeat: () => run.admin().post('/v1/jobs/heartbeat-alpha/run'),
  headless: () => run.admin().post('/v1/sops/walk/runs', { input: 'x' }),
};

/** The policy of the n-th turn of a trigger. */
const policyOf = (trigger: string, n: number): Promise<string> =>
  eventually(`turn ${n} of ${trigger}`, async () => {
    const { body } = await run.admin().get('/v1/events?types=PolicyResolved&limit=500');
    const { items } = body as { readonly items: readonly LockstepEvent[] };
    const found = items.filter(({ meta }) => meta.trigger === trigger)[n - 1];
    return found?.type === 'PolicyResolved' ? found.data.digest : null;
  });
const policies = async (n: number): Promise<Readonly<Record<string, string>>> => {
  const found: Record<string, string> = {};
  for (const [way, start] of Object.entries(ways)) {
    await start();
    found[way] = await policyOf(way, n);
  }
  return found;
};

describe('given sessions, jobs and procedures over a restart', () => {
  it('runs what is taken up again under the policy of the time before, on every way', async () => {
    const before = await policies(1);
    const { rest, acp, cron, ...others } = before;
    expect(others['heartbeat']).toBe(rest);
    expect(cron).not.toBe(rest);
    expect(others['json-rpc']).not.toBe(rest);
    expect(acp).toMatch(/^[0-9a-f]{64}$/);
    await run.stop();
    await run.start();
    expect(await policies(2)).toEqual(before);
  });
});

describe('given text that some readers take for several lines', () => {
  it('comes back whole from the log and from a stream, over a restart', async () => {
    const body = { input: 'write lines', wait: true };
    const answer = await run.admin().post('/v1/agents/alpha/turns', body);
    const { id, reply } = answer.body as { readonly id: string; readonly reply: string };
    expect(reply).toBe(odd);
    const recorded = async (): Promise<readonly LockstepEvent[]> => {
      const read = await run.admin().get(`/v1/turns/${id}/events`);
      return (read.body as { readonly items: readonly LockstepEvent[] }).items;
    };
    const first = await recorded();
    const results = first.flatMap((event) =>
      event.type === 'ToolCallCompleted' && 'inline' in event.data.result
        ? [event.data.result.inline]
        : [],
    );
    expect(results[1]).toContain(odd);
    await run.stop();
    await run.start();
    expect(await recorded()).toEqual(first);
    const stream = await fetch(`${run.url()}/v1/turns/${id}/events/stream`, {
      headers: { authorization: `Bearer ${run.local()}` },
    });
    const shown = (await stream.text())
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)) as { readonly type?: string });
    expect(shown.filter(({ type }) => type === 'ToolCallCompleted')).toHaveLength(2);
    expect(JSON.stringify(shown)).toContain(JSON.stringify(odd).slice(1, -1));
  });
});
