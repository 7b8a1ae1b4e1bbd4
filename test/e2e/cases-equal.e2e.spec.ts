import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { ScriptedServer } from '../support/http-script.ts';
import { startOpenAiServer } from '../support/openai-server.ts';
import { rpcClient } from '../support/rpc-client.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';
import { postWebhook } from '../support/signed-webhook.ts';
import {
  startByAcp,
  startByJsonRpc,
  startByOpenAi,
  startByWebSocket,
} from '../support/start-by.ts';

// Elsewhere the lists of tools, the limits of history and a changed config held on some ways to start an agent and not on others.
// Here a server that speaks a provider's protocol looks at what it is really sent.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const secret = 'key-of-the-cases';
process.env['CASES_SECRET'] = secret;

const config = (model: string, denied: string): string => `
[agents.alpha]
provider = "model"
risk_profile = "open"
runtime_profile = "short"
mcp_bundles = ["files"]
channels = ["webhook.main"]
[agents.beta]
provider = "model"
risk_profile = "open"
runtime_profile = "short"
channels = ["webhook.other"]
[agents.lead]
provider = "local"
risk_profile = "leading"
runtime_profile = "short"
delegates = [{ agent = "alpha", mode = "independent" }]
[risk_profiles.open]
autonomy = "full"
[risk_profiles.open.tools]
allowed = ["file_*", "time_now", "memory_recall", "mcp:files/*", "spawn"]
denied = [${denied}]
[risk_profiles.open.delegation]
mode = "allow"
spawn = true
[risk_profiles.leading]
autonomy = "full"
[risk_profiles.leading.tools]
allowed = ["delegate", "message_peer"]
[risk_profiles.leading.delegation]
mode = "allow"
[runtime_profiles.short.context]
max_history_messages = 2
[runtime_profiles.short.memory]
auto_recall = false
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[providers.model]
type = "openai_compatible"
base_url = "${model}/v1"
model = "local"
prices = "free"
[mcp.servers.files]
transport = "stdio"
command = "mcp-server-filesystem"
args = ["{workspace}"]
expose = ["read_text_file", "list_directory"]
share = "agent"
[mcp_bundles.files]
servers = ["files"]
[channels.webhook.main]
secret = { env = "CASES_SECRET" }
[channels.webhook.other]
secret = { env = "CASES_SECRET" }
[peer_groups.main]
channel = "webhook.main"
agents = ["alpha", "lead"]
external_peers = ["ana"]
[peer_groups.other]
channel = "webhook.other"
agents = ["beta"]
external_peers = ["ana"]
[cron.nightly]
agent = "alpha"
schedule = "0 3 * * *"
prompt = "by-cron"
uses_memory = true
[heartbeat.alpha]
every = "12h"
prompt = "by-heartbeat"
[sops.walk]
[[sops.walk.steps]]
agent = "alpha"
prompt = "by-sop"
`;

const script = `
scenarios:
  - when: hand over
    steps:
      - calls:
          - { tool: delegate, args: { agent: alpha, input: by-delegate } }
          - { tool: message_peer, args: { agent: alpha, channel: webhook.main, text: by-peer } }
      - say: done
default: [{ say: fine }]
`;

let model: ScriptedServer;
let run: RunningDaemon;
beforeAll(async () => {
  model = await startOpenAiServer(({ body }) => {
    const text = lastSaid(body);
    return text.includes('send somebody')
      ? {
          kind: 'answer',
          calls: [{ id: 'one', name: 'spawn', args: '{"input":"by-spawn"}' }],
        }
      : { kind: 'answer', text: 'fine' };
  });
  run = await runDaemon(config(model.url, ''), script);
  await mkdir(join(run.data, 'workspaces/alpha'), { recursive: true });
});
afterAll(async () => {
  await run.remove();
  await model.close();
});

type Body = Readonly<Record<string, unknown>>;
interface Message {
  readonly role: string;
  readonly content: unknown;
}
const messagesIn = (body: Body): readonly Message[] => body['messages'] as Message[];
const lastSaid = (body: Body): string => JSON.stringify(messagesIn(body).at(-1));

/** The first request to the provider whose last message holds a text. */
const sentFor = (text: string): Promise<Body> =>
  eventually(
    `a model call for \`${text}\``,
    () => model.requests.find(({ body }) => lastSaid(body).includes(text))?.body ?? null,
    120_000,
  );
const toolsFor = async (text: string): Promise<readonly string[]> => {
  const tools = (await sentFor(text))['tools'] as { function: { name: string } }[] | undefined;
  return (tools ?? []).map(({ function: { name } }) => name).sort();
};

let messages = 0;
const tell = async (alias: string, text: string, conversation = 'room'): Promise<void> => {
  messages += 1;
  const answer = await postWebhook(
    { url: run.url(), alias, secret },
    { id: `m${messages}`, conversation, sender: 'ana', text },
  );
  expect(answer.status).toBe(202);
};
const post = async (path: string, body: object = {}): Promise<void> => {
  const { status, text } = await run.admin().post(path, body);
  expect(status, text).toBeLessThan(300);
};

const starts: Readonly<Record<string, () => Promise<unknown>>> = {
  rest: () => post('/v1/agents/alpha/turns', { input: 'by-rest' }),
  run: () => post('/v1/agents/alpha/runs', { input: 'by-run' }),
  'json-rpc': () => startByJsonRpc(run.data, { agent: 'alpha', input: 'by-json-rpc' }),
  acp: () =>
    startByAcp(run.data, { agent: 'alpha', input: 'by-acp' }, join(run.data, 'workspaces/alpha')),
  websocket: () =>
    startByWebSocket(run.url(), run.local(), { agent: 'alpha', input: 'by-websocket' }),
  openai: () => startByOpenAi(run.url(), run.local(), { agent: 'alpha', input: 'by-openai' }),
  webhook: () => tell('main', 'by-webhook'),
  cron: () => post('/v1/jobs/nightly/run'),
  heartbeat: () => post('/v1/jobs/heartbeat-alpha/run'),
  sop: () => post('/v1/sops/walk/runs', { input: 'x' }),
  delegate: () => post('/v1/agents/lead/turns', { input: 'hand over' }),
  peer: () => Promise.resolve(),
  spawn: () => post('/v1/agents/alpha/turns', { input: 'send somebody' }),
};

const granted = [
  'file_edit',
  'file_list',
  'file_read',
  'file_search',
  'file_write',
  'files__list_directory',
  'files__read_text_file',
  'memory_recall',
  'spawn',
  'time_now',
];

const withoutServers = granted.filter((name) => !name.startsWith('files__'));

describe('given one agent and every way to start it', () => {
  it('offers the model the same tools on each, those that the policy gives and no others', async () => {
    const seen: Record<string, readonly string[]> = {};
    for (const [way, start] of Object.entries(starts)) {
      await start();
      seen[way] = await toolsFor(`by-${way}`);
    }
    const equal = Object.fromEntries(Object.keys(starts).map((way) => [way, granted]));
    // An editor's agent has no tool servers: what the path itself takes away stands in the record of the policy.
    expect(seen).toEqual({ ...equal, acp: withoutServers });
  });

  it('gives an agent beside it on the same kind of channel none of its servers', async () => {
    await tell('other', 'to-beta');
    expect(await toolsFor('to-beta')).toEqual(withoutServers);
  });
});

describe('given a limit on the history', () => {
  it('keeps the same messages in a conversation, over REST and on the socket', async () => {
    const { call, close } = await rpcClient(run.data);
    await call('initialize', {});
    const say: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
      rest: (input) => post('/v1/agents/alpha/turns', { input, session: 'long-rest', wait: true }),
      socket: (input) =>
        call('turns.start', { agent: 'alpha', input, session: 'long-socket', wait: true }),
      channel: (text) => tell('main', text, 'long'),
    };
    const seen: Record<string, readonly Message[]> = {};
    for (const [way, send] of Object.entries(say)) {
      for (const step of ['one', 'two', 'three']) {
        await send(`${way} ${step}`);
        await sentFor(`${way} ${step}`);
      }
      seen[way] = messagesIn(await sentFor(`${way} three`))
        .filter(({ role }) => role !== 'system')
        .map((said) => JSON.parse(JSON.stringify(said).replaceAll(way, 'it')) as Message);
    }
    close();
    const kept = ['user', 'assistant', 'user'];
    expect(seen['rest']?.map(({ role }) => role)).toEqual(kept);
    expect(JSON.stringify(seen['rest']?.[0])).toContain('it two');
    expect(seen['socket']).toEqual(seen['rest']);
    expect(seen['channel']).toEqual(seen['rest']);
  });
});

describe('given an edit of the config in a daemon that runs', () => {
  it('reaches the next turn of a channel as of every other way, without a restart', async () => {
    const current = await run.admin().get('/v1/config');
    const text = config(model.url, '"file_write", "mcp:files/list_directory"');
    const put = await run
      .admin()
      .put('/v1/config', { text }, { 'if-match': current.headers['etag'] ?? '' });
    expect(put.status, put.text).toBe(200);
    await post('/v1/agents/alpha/runs', { input: 'edited-run' });
    await tell('main', 'edited-webhook');
    const left = granted.filter((name) => !['file_write', 'files__list_directory'].includes(name));
    expect(await toolsFor('edited-run')).toEqual(left);
    expect(await toolsFor('edited-webhook')).toEqual(left);
  });
});
