import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startScriptedServer, type ScriptedServer } from '../support/http-script.ts';
import { eventually } from '../support/eventually.ts';
import {
  askConversation,
  macOf,
  nowSeconds,
  postWebhook,
  type Off,
  type WebhookMessage,
} from '../support/signed-webhook.ts';
import { runChannels, teamConfig, teamPeople, type ChannelRun } from './channel-run.ts';

const secret = 'webhook-key-1';
process.env['CHANNEL_SPEC_KEY'] = secret;

/** Messages at the desk start it, and no turn of their own. */
const procedure = `
[peer_groups.desk]
channel = "webhook.desk"
agents = ["beta"]
external_peers = ["ana"]
[sops.greet]
triggers = ["channel:webhook.desk", "manual"]
steps = [{ agent = "beta", prompt = "greet {{input}}" }]
`;

let run: ChannelRun;
let receiver: ScriptedServer;
/** Status of the next answers of the receiver; 200 when there is none left. */
let statuses: number[];

beforeEach(async () => {
  statuses = [];
  receiver = await startScriptedServer((_seen, response) => {
    const status = statuses.shift() ?? 200;
    response.writeHead(status, status === 429 ? { 'retry-after': '1' } : {}).end();
  });
  const channel = (alias: string, more = ''): string =>
    `[channels.webhook.${alias}]\nsecret = { env = "CHANNEL_SPEC_KEY" }\n${more}`;
  const url = `reply_url = "${receiver.url}/in"\n`;
  const team = teamConfig(
    channel('main', `${url}sender_may_approve = true\n`) +
      channel('other', url) +
      channel('gone', url) +
      channel('desk', url) +
      teamPeople('webhook', { ana: 'ana', bob: 'bob', ignored: 'eve' }) +
      procedure,
    'webhook',
  );
  run = await runChannels(team.replace('["webhook.other"]', '["webhook.other", "webhook.desk"]'));
  await run.running('webhook.main');
});
afterEach(async () => {
  await run.remove();
  await receiver.close();
});

const send = (message: Partial<WebhookMessage>, off: Off = {}, alias = 'main') =>
  postWebhook(
    { url: run.url(), alias, secret },
    { id: 'm1', conversation: 'room', sender: 'ana', text: 'hello', ...message },
    off,
  );
const turnOf = (answer: { readonly body: unknown }): string =>
  (answer.body as { readonly turn: string }).turn;
const posted = (kind: string): Promise<Record<string, unknown>> =>
  eventually(
    `a ${kind} at the receiver`,
    () => receiver.requests.find(({ body }) => body['kind'] === kind)?.body ?? null,
  );
const codeIn = (text: unknown): string => /\/approve (\w{8})/.exec(String(text))?.[1] ?? 'none';
const statusOf = async (turn: string): Promise<string> => {
  const { body } = await run.admin().get(`/v1/turns/${turn}`);
  return (body as { readonly row: { readonly status: string } }).row.status;
};

describe('given a signed message', () => {
  it('becomes a turn of the owner whose reply is posted, signed, once', async () => {
    const answer = await send({});
    expect(answer.status).toBe(202);
    const reply = await posted('reply');
    expect(reply).toMatchObject({
      conversation: 'room',
      in_reply_to: 'm1',
      turn: turnOf(answer),
      text: 'Plain answer.',
    });
    const [seen] = receiver.requests;
    const timestamp = Number(seen?.headers['lockstep-timestamp']);
    expect(seen?.headers['lockstep-signature']).toBe(
      macOf(secret, timestamp, JSON.stringify(seen?.body)),
    );
    const told = await eventually('the delivery to be recorded', async () => {
      const events = await run.events('ReplyDeliveryStarted', 'ReplyDelivered');
      return events.length === 2 ? events : null;
    });
    expect(told.map(({ type, data }) => [type, data])).toEqual([
      [
        'ReplyDeliveryStarted',
        { delivery: expect.any(String), to: 'webhook.main/room', attempt: 1 },
      ],
      ['ReplyDelivered', { delivery: expect.any(String), to: 'webhook.main/room', receipt: '200' }],
    ]);
    const [requested] = await run.events('TurnRequested');
    expect(requested?.data).toMatchObject({
      path: 'channel',
      trigger: 'webhook',
      request: {
        agent: 'alpha',
        principal: { kind: 'peer', id: 'webhook.main/ana', person: 'ana' },
        origin: { kind: 'channel', binding: 'webhook.main' },
      },
    });
  });

  it('is one turn however often it comes, and its id takes no other text', async () => {
    const first = await send({});
    const again = await send({});
    expect(again.body).toMatchObject({ turn: turnOf(first), repeat: true });
    expect((await send({ text: 'something else' })).status).toBe(422);
    await run.stop();
    await run.start();
    await run.running('webhook.main');
    const later = await send({});
    expect(later.body).toMatchObject({ turn: turnOf(first), repeat: true });
    expect(await run.events('MessageAccepted')).toHaveLength(1);
  });

  it('opens one session for each conversation and thread, which its people share', async () => {
    const answers = [
      await send({ id: 'a', sender: 'ana' }),
      await send({ id: 'b', sender: 'bob' }),
      await send({ id: 'c', conversation: 'elsewhere' }),
      await send({ id: 'd', thread: 't1' }),
    ];
    const sessions = answers.map(({ body }) => (body as { readonly session: string }).session);
    expect(sessions[1]).toBe(sessions[0]);
    expect(new Set(sessions).size).toBe(3);
  });
});

describe('given a request that nobody with the key made just now', () => {
  it('is turned away with the same words for each fault, and counted', async () => {
    const faults = [
      await send({}, { secret: 'wrong-key' }),
      await send({}, { body: '{"id":"m1"}' }),
      await send({}, { timestamp: nowSeconds() - 3600 }),
      await send({}, { timestamp: nowSeconds() + 3600 }),
      await send({}, {}, 'nowhere'),
    ];
    expect(faults.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    const details = faults.map(({ body }) => (body as { readonly detail: string }).detail);
    expect(new Set(details).size).toBe(1);
    expect((await run.events('InboundRefused')).map(({ data }) => data)).toEqual([
      { source: 'webhook.main', why: 'signature wrong', count: 1 },
      { source: 'webhook', why: 'no such channel', count: 1 },
    ]);
    expect(await run.events('SessionOpened', 'TurnRequested')).toEqual([]);
  });

  it('refuses garbage and oversize with a clear error, and goes on', async () => {
    const extra: WebhookMessage = Object.assign(
      { id: 'm', conversation: 'c', sender: 'ana', text: 'x' },
      { more: 1 },
    );
    expect((await send(extra)).status).toBe(400);
    expect((await send({ text: 'x'.repeat(2 * 1024 * 1024) })).status).toBe(413);
    expect((await send({ id: 'fine' })).status).toBe(202);
  });
});

describe('given a sender that the agent does not listen to', () => {
  it('opens no session, answers nothing, and is recorded', async () => {
    for (const sender of ['zed', 'eve']) expect((await send({ sender })).status).toBe(403);
    expect(await run.events('SessionOpened', 'TurnRequested', 'TurnRefused')).toEqual([]);
    expect((await run.events('InboundRefused')).map(({ data }) => data)).toMatchObject([
      { source: 'webhook.main' },
    ]);
    expect(receiver.requests).toEqual([]);
  });

  it('is told nothing of an agent that is away, whom the agent listens to hears the same as anywhere', async () => {
    const known = await send({ sender: 'ana' }, {}, 'gone');
    expect(known.body).toMatchObject({ detail: 'agent `gone` is not available' });
    const stranger = await send({ id: 'm2', sender: 'zed' }, {}, 'gone');
    expect(stranger.body).toMatchObject({ detail: 'the message is not let in' });
    expect(await run.events('SessionOpened')).toEqual([]);
  });
});

describe('given an approval in a conversation', () => {
  it('counts from a person who may, and not from others', async () => {
    const turn = turnOf(await send({ text: 'write the plum' }));
    const code = codeIn((await posted('question'))['text']);
    const tries = [
      await send({ id: 'b', sender: 'bob', text: `/approve ${code}` }),
      await send({ id: 'c', conversation: 'elsewhere', text: `/approve ${code}` }),
      await send({ id: 'd', text: '/approve AAAAAAAA' }),
    ];
    expect(tries.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await statusOf(turn)).toBe('waiting');
    expect(await run.events('ApprovalGranted', 'ApprovalDenied')).toEqual([]);
    expect((await run.events('AccessDenied')).map(({ data }) => data)).toMatchObject([
      { principal: 'webhook.main/bob' },
    ]);
    const granted = await send({ id: 'e', text: `/approve ${code}` });
    expect(granted.body).toEqual({ text: 'approved' });
    await eventually('the turn to end', async () =>
      (await statusOf(turn)) === 'completed' ? true : null,
    );
    const [event] = await run.events('ApprovalGranted');
    expect(event?.data).toMatchObject({
      by: {
        principal: 'webhook.main/ana',
        person: 'ana',
        surface: 'channel',
        where: 'webhook.main/room',
      },
    });
    const late = await send({ id: 'f', sender: 'ana', text: `/deny ${code}` });
    expect(late.body).toMatchObject({ text: 'it was decided before: granted: once by ana' });
  });

  it('is answered by nobody where config does not trust the sender’s name', async () => {
    await send({ text: 'write the plum' }, {}, 'other');
    const code = codeIn((await posted('question'))['text']);
    const tried = await send({ id: 'b', text: `/approve ${code}` }, {}, 'other');
    expect(tried.body).toEqual({ text: 'approvals cannot be answered on this channel' });
    expect(await run.events('ApprovalGranted')).toEqual([]);
    expect((await run.events('AccessDenied')).map(({ data }) => data)).toMatchObject([
      { principal: 'webhook.other/ana' },
    ]);
  });

  it('can be denied with words that the agent is given', async () => {
    await send({ text: 'write the plum' });
    const code = codeIn((await posted('question'))['text']);
    await send({ id: 'b', text: `/deny ${code} use pears` });
    const reply = await posted('reply');
    expect(reply['text']).toContain('use pears');
    expect(existsSync(join(run.folder, 'plum.txt'))).toBe(false);
  });
});

describe('given commands', () => {
  it('stops the running turn of its own conversation only', async () => {
    const mine = turnOf(await send({ text: 'ask me' }));
    const theirs = turnOf(await send({ id: 'x', conversation: 'elsewhere', text: 'ask me' }));
    await posted('question');
    expect((await send({ id: 's', text: '/stop' })).body).toEqual({ text: 'stopping' });
    await eventually('the turn to be cancelled', async () =>
      (await statusOf(mine)) === 'cancelled' ? true : null,
    );
    expect(await statusOf(theirs)).toBe('waiting');
  });

  it('takes a command once, also over a restart', async () => {
    const at = nowSeconds() - 2;
    await send({ id: 's', text: '/status' });
    expect((await send({ id: 's', text: '/status' })).status).toBe(422);
    await run.stop();
    await run.start();
    await run.running('webhook.main');
    expect((await send({ id: 's', text: '/stop' }, { timestamp: at })).status).toBe(422);
  });

  it('answers a question of the agent, by words or by choice', async () => {
    await send({ text: 'ask me' });
    const question = await posted('question');
    const [command = ''] = question['commands'] as string[];
    expect((await send({ id: 'a', text: command })).body).toEqual({ text: 'answered' });
    expect((await posted('reply'))['text']).toBe('You said plum');
  });
});

describe('given a receiver that fails', () => {
  it('is tried again until it takes the reply, each try recorded, with one id', async () => {
    statuses = [503, 429];
    await send({});
    await eventually('the delivery', async () => {
      const events = await run.events('ReplyDelivered');
      return events.length === 1 ? true : null;
    });
    const failed = await run.events('ReplyDeliveryFailed');
    expect(failed.map(({ data }) => data)).toMatchObject([
      { why: 'the receiver answered 503', retryAt: expect.any(Number) },
      { why: 'the receiver answered 429', retryAt: expect.any(Number) },
    ]);
    expect(new Set(receiver.requests.map(({ body }) => body['id'])).size).toBe(1);
  });

  it('is given up where it refuses, and where it redirects', async () => {
    statuses = [302];
    await send({});
    const [failed] = await eventually('the failure', async () => {
      const events = await run.events('ReplyDeliveryFailed');
      return events.length === 1 ? events : null;
    });
    expect(failed?.data).toMatchObject({ why: 'the receiver answered 302', retryAt: null });
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('given a restart', () => {
  it('asks again what nobody answered, under the same code, and delivers the reply', async () => {
    await send({ text: 'write the plum' });
    const code = codeIn((await posted('question'))['text']);
    await run.stop();
    await run.start();
    await run.running('webhook.main');
    const again = await eventually('the second question', () => {
      const asked = receiver.requests.filter(({ body }) => body['kind'] === 'question');
      return asked.length === 2 ? asked[1] : null;
    });
    expect(codeIn(again?.body['text'])).toBe(code);
    await send({ id: 'b', text: `/approve ${code}` });
    expect((await posted('reply'))['text']).toContain('Wrote it');
  });

  it('delivers what a receiver did not take before', async () => {
    statuses = [503];
    await send({});
    await eventually('the failure', async () =>
      (await run.events('ReplyDeliveryFailed')).length === 1 ? true : null,
    );
    await run.stop();
    await run.start();
    await eventually('the delivery', async () =>
      (await run.events('ReplyDelivered')).length === 1 ? true : null,
    );
    const started = await run.events('ReplyDeliveryStarted');
    expect(started.map(({ data }) => (data as { attempt: number }).attempt)).toEqual([1, 2]);
  });
});

describe('given another config', () => {
  it('starts, changes and stops only what it changed', async () => {
    const before = (await run.admin().get('/v1/channels')).body as {
      readonly items: readonly { readonly binding: string; readonly since: number }[];
    };
    const text = await readFile(run.config, 'utf8');
    const { digest } = (await run.admin().get('/v1/config')).body as { readonly digest: string };
    const put = await run
      .admin()
      .put(
        '/v1/config',
        { text: text.replaceAll('webhook.gone', 'webhook.fresh').replace('window_secs', '') },
        { 'if-match': digest },
      );
    expect(put.status).toBe(200);
    const { items } = await eventually('the fresh channel', async () => {
      const { body } = await run.admin().get('/v1/channels');
      const list = body as {
        readonly items: readonly {
          readonly binding: string;
          readonly since: number;
          readonly state: string;
        }[];
      };
      const isThere = list.items.some((one) => one.binding === 'webhook.fresh');
      return isThere && list.items.every(({ state }) => state === 'running') ? list : null;
    });
    expect(items.map(({ binding }) => binding)).toEqual([
      'webhook.desk',
      'webhook.fresh',
      'webhook.main',
      'webhook.other',
    ]);
    const since = (list: typeof before.items) =>
      list.filter(({ binding }) => /main|other/.test(binding)).map((one) => one.since);
    expect(since(items)).toEqual(since(before.items));
    expect((await send({ text: 'hello' }, {}, 'gone')).status).toBe(401);
    expect((await send({ id: 'x' })).status).toBe(202);
  });
});

describe('given a reader of its own', () => {
  it('gets replies and open questions of the one conversation, when signed', async () => {
    const turn = turnOf(await send({ text: 'write the plum' }));
    await posted('question');
    const at = { url: run.url(), alias: 'main', secret };
    const { body } = await askConversation(at, 'room');
    expect(body).toMatchObject({
      conversation: 'room',
      turns: [{ id: turn, status: 'waiting', reply: null }],
      questions: [
        { kind: 'approval', commands: [expect.stringMatching(/^\/approve /), expect.any(String)] },
      ],
    });
    expect((await askConversation(at, 'elsewhere')).body).toMatchObject({
      turns: [],
      questions: [],
    });
    expect((await askConversation({ ...at, secret: 'wrong-key' }, 'room')).status).toBe(401);
  });
});

describe('given a channel whose messages start a procedure', () => {
  it('starts it once for a message, with steps under the policy that any start gives', async () => {
    const first = await send({ text: 'the visitor' }, {}, 'desk');
    const again = await send({ text: 'the visitor' }, {}, 'desk');
    const said = { text: expect.stringMatching(/^the procedure has started: run \w+$/) as string };
    expect([first.status, first.body]).toEqual([200, said]);
    expect(again.body).toEqual(first.body);
    const stranger = await send({ id: 'm2', sender: 'zed' }, {}, 'desk');
    expect(stranger.status).toBe(403);
    await run.admin().post('/v1/sops/greet/runs', { input: 'the visitor' });
    const ended = await eventually('both runs to end', async () => {
      const events = await run.events('SopRunCompleted');
      return events.length === 2 ? events : null;
    });
    expect(ended).toHaveLength(2);
    const turns = await run.events('TurnRequested');
    expect(turns.map(({ meta }) => [meta.path, meta.trigger])).toEqual([
      ['sop', 'headless'],
      ['sop', 'headless'],
    ]);
    const tools = (await run.events('PolicyResolved')).map(({ data }) =>
      'snapshot' in data && 'inline' in data.snapshot ? data.snapshot.inline.tools : null,
    );
    expect(tools[0]).not.toBeNull();
    expect(tools[1]).toEqual(tools[0]);
  });
});
