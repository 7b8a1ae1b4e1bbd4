import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { LockstepEvent } from '@lockstep/engine';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

const config = `
[agents.alpha]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
[agents.beta]
enabled = false
[agents.gamma]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
[risk_profiles.open]
autonomy = "supervised"
[risk_profiles.open.tools]
allowed = ["file_*", "ask_user", "time_now"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[gateway]
max_body_kb = 64
rate_per_minute = 100000
`;
const script = `
scenarios:
  - when: slow
    steps: [{ say: late, wait_ms: 60000 }]
  - when: write
    steps:
      - calls: [{ tool: file_write, args: { path: note.txt, content: hi } }]
      - { say: written }
  - when: question
    steps:
      - calls: [{ tool: ask_user, args: { question: 'which?' } }]
      - { say: asked }
  - when: clock
    steps:
      - calls: [{ tool: time_now, args: {} }]
      - { say: done }
default: [{ say: hello there }]
`;

let daemon: RunningDaemon;
beforeAll(async () => {
  daemon = await runDaemon(config, script);
});
afterAll(() => daemon.remove());

type Message = Readonly<Record<string, unknown>>;
interface Client {
  readonly socket: WebSocket;
  readonly seen: readonly Message[];
  readonly send: (frame: object) => void;
  readonly ask: (frame: object) => Promise<Message>;
  readonly until: (fits: (message: Message) => boolean) => Promise<Message>;
  readonly closed: Promise<number>;
}

const address = (): string => `${daemon.url().replace('http', 'ws')}/v1/ws`;

const clientOf = async (token: string): Promise<Client> => {
  const socket = new WebSocket(address(), { headers: { authorization: `Bearer ${token}` } });
  return talking(socket);
};

const talking = async (socket: WebSocket): Promise<Client> => {
  const seen: Message[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data: Buffer) => {
    seen.push(JSON.parse(data.toString('utf8')) as Message);
    for (const look of [...waiting]) look();
  });
  const closed = new Promise<number>((done) => socket.once('close', done));
  await once(socket, 'open');
  socket.on('error', () => undefined);
  const until: Client['until'] = (fits) =>
    new Promise((done, failed) => {
      const look = (): void => {
        const found = seen.find(fits);
        if (found === undefined) return;
        waiting.delete(look);
        done(found);
      };
      waiting.add(look);
      look();
      void closed.then((code) => {
        if (waiting.delete(look)) failed(new Error(`closed with ${code} before it came`));
      });
    });
  let next = 0;
  const send = (frame: object): void => {
    socket.send(JSON.stringify(frame));
  };
  return {
    socket,
    seen,
    send,
    until,
    closed,
    ask: (frame) => {
      next += 1;
      const id = `f${next}`;
      send({ ...frame, id });
      return until((message) => message['id'] === id && message['type'] !== 'event');
    },
  };
};

const resultOf = ({ result }: Message): Message => result as Message;
const ended = async (client: Client, turn: unknown): Promise<Message> =>
  (await client.until((m) => m['type'] === 'end' && (m['turn'] as Message)['id'] === turn))[
    'turn'
  ] as Message;

/** Why an upgrade was refused: its status and code. */
const refusal = async (options: {
  readonly protocols?: string[];
  readonly headers?: Record<string, string>;
  readonly path?: string;
}): Promise<[number, string]> => {
  const url = `${daemon.url().replace('http', 'ws')}${options.path ?? '/v1/ws'}`;
  const socket = new WebSocket(url, options.protocols ?? [], { headers: options.headers ?? {} });
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [
    unknown,
    NodeJS.ReadableStream & { statusCode: number },
  ];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return [response.statusCode, (JSON.parse(text) as { code: string }).code];
};

describe('given who asks for an upgrade', () => {
  it('answers before it upgrades whoever may not come in', async () => {
    const bearer = { authorization: `Bearer ${daemon.local()}` };
    expect(await refusal({})).toEqual([401, 'unauthenticated']);
    expect(await refusal({ headers: { authorization: 'Bearer wrong' } })).toEqual([
      401,
      'unauthenticated',
    ]);
    expect(await refusal({ protocols: ['lockstep.v1', 'bearer.wrong'] })).toEqual([
      401,
      'unauthenticated',
    ]);
    expect(await refusal({ headers: { ...bearer, origin: 'https://evil.example' } })).toEqual([
      403,
      'forbidden',
    ]);
    expect(await refusal({ headers: { ...bearer, host: 'evil.example' } })).toEqual([
      403,
      'forbidden',
    ]);
    expect(await refusal({ headers: bearer, path: '/v1/other' })).toEqual([404, 'not_found']);
    const plain = await daemon.admin().get('/v1/ws');
    expect([plain.status, plain.body]).toMatchObject([426, { code: 'upgrade_required' }]);
  });

  it('takes a token among the protocols, and never says it back', async () => {
    const socket = new WebSocket(address(), ['lockstep.v1', `bearer.${daemon.local()}`]);
    const client = await talking(socket);
    expect(socket.protocol).toBe('lockstep.v1');
    const answer = await client.ask({ type: 'get', turn: 'none' });
    expect(answer).toMatchObject({ type: 'error', code: 'not_found' });
    socket.close();
  });

  it('takes a browser session with its secret and its origin alone', async () => {
    const link = await daemon.admin().post('/v1/session', { token: daemon.local() });
    const cookie = String(link.headers['set-cookie']).split(';', 1)[0] ?? '';
    const me = await fetch(`${daemon.url()}/v1/session`, { headers: { cookie } });
    const { csrf } = (await me.json()) as { csrf: string };
    const origin = daemon.url();
    expect(await refusal({ headers: { cookie, origin }, protocols: ['lockstep.v1'] })).toEqual([
      403,
      'forbidden',
    ]);
    const protocols = ['lockstep.v1', `csrf.${csrf}`];
    expect(await refusal({ headers: { cookie }, protocols })).toEqual([403, 'forbidden']);
    const client = await talking(
      new WebSocket(address(), protocols, { headers: { cookie, origin } }),
    );
    expect(await client.ask({ type: 'get', turn: 'none' })).toMatchObject({ code: 'not_found' });
    client.socket.close();
  });
});

describe('given a client that starts a turn', () => {
  it('answers, tells of events and text, and ends with the reply', async () => {
    const caller = await daemon.issue({ name: 'talker', roles: ['operator'] });
    const client = await clientOf(caller.token);
    const started = resultOf(await client.ask({ type: 'start', agent: 'alpha', input: 'hi' }));
    const answer = await ended(client, started['id']);
    expect(started).toMatchObject({ status: 'queued', agent: 'alpha', repeat: false });
    expect(answer).toMatchObject({ status: 'completed', reply: 'hello there', path: 'gateway' });
    const text = client.seen.filter(({ type }) => type === 'delta').map((m) => m['text']);
    expect(text.join('')).toBe('hello there');
    const events = client.seen
      .filter(({ type }) => type === 'event')
      .map((m) => m['event'] as LockstepEvent);
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['TurnRequested', 'TurnCompleted']);
    expect(events[0]?.meta).toMatchObject({ path: 'gateway', trigger: 'websocket' });
    client.socket.close();
  });

  it("narrows by the token's scope of tools, and refuses agents outside it", async () => {
    const caller = await daemon.issue({
      name: 'narrow',
      roles: ['operator'],
      scopes: { agents: ['alpha'], tools: ['file_read'] },
    });
    const client = await clientOf(caller.token);
    const started = resultOf(await client.ask({ type: 'start', agent: 'alpha', input: 'clock' }));
    await ended(client, started['id']);
    const refused = client.seen
      .map((m) => m['event'] as LockstepEvent | undefined)
      .find((event) => event?.type === 'ToolCallRefused');
    expect(refused?.data).toMatchObject({ rule: 'tools.allowed' });
    const other = await client.ask({ type: 'start', agent: 'gamma', input: 'hi' });
    expect(other).toMatchObject({ type: 'error', code: 'forbidden' });
    client.socket.close();
  });

  it('gets the same refusal for an unknown and a disabled agent', async () => {
    const client = await clientOf(daemon.local());
    for (const agent of ['beta', 'nobody'])
      expect(await client.ask({ type: 'start', agent, input: 'hi' })).toMatchObject({
        type: 'error',
        code: 'agent_unavailable',
        status: 404,
        detail: `agent \`${agent}\` is not available`,
      });
    client.socket.close();
  });

  it('asks an approver on the connection, and no viewer', async () => {
    const approver = await clientOf(
      (await daemon.issue({ name: 'boss', roles: ['operator', 'approver'] })).token,
    );
    const viewer = await clientOf((await daemon.issue({ name: 'eye', roles: ['viewer'] })).token);
    const started = resultOf(await approver.ask({ type: 'start', agent: 'alpha', input: 'write' }));
    const turn = started['id'];
    const asked = await approver.until(({ type }) => type === 'approval');
    const seen = await viewer.ask({ type: 'subscribe', turn });
    expect(resultOf(seen)).toMatchObject({ status: 'waiting', reply: null });
    const decision = { choice: 'once', revision: asked['revision'], shown: asked['shown'] };
    const approval = asked['id'];
    const mayNot = await viewer.ask({ type: 'decide', approval, decision });
    expect(mayNot).toMatchObject({ type: 'error', code: 'forbidden' });
    const decided = await approver.ask({ type: 'decide', approval, decision });
    expect(resultOf(decided)).toMatchObject({ status: 'decided' });
    expect(await ended(approver, turn)).toMatchObject({ reply: 'written' });
    expect(await ended(viewer, turn)).toMatchObject({ status: 'completed', reply: null });
    expect(JSON.stringify(viewer.seen)).not.toContain('note.txt');
    approver.socket.close();
    viewer.socket.close();
  });

  it('takes answers, steering and a cancel', async () => {
    const client = await clientOf(daemon.local());
    const parked = resultOf(await client.ask({ type: 'start', agent: 'alpha', input: 'question' }));
    const { id: question, revision } = await client.until(({ type }) => type === 'question');
    const answer = { text: 'this', revision };
    const taken = await client.ask({ type: 'answer', question, answer });
    expect(resultOf(taken)).toMatchObject({ status: 'decided' });
    expect(await ended(client, parked['id'])).toMatchObject({ reply: 'asked' });
    const slow = resultOf(await client.ask({ type: 'start', agent: 'alpha', input: 'slow' }));
    const turn = slow['id'];
    await client.until(
      (m) =>
        (m['event'] as LockstepEvent | undefined)?.type === 'ModelCallStarted' &&
        (m['event'] as LockstepEvent).meta.turn === turn,
    );
    expect(resultOf(await client.ask({ type: 'steer', turn, text: 'faster' }))).toMatchObject({
      status: 'recorded',
    });
    expect(resultOf(await client.ask({ type: 'cancel', turn }))).toMatchObject({
      status: 'requested',
    });
    expect(await ended(client, turn)).toMatchObject({ status: 'cancelled' });
    client.socket.close();
  });
});

describe('given a client that does as it likes', () => {
  it('answers every frame in its order, the wrong ones with why', async () => {
    const client = await clientOf(daemon.local());
    client.socket.send('nonsense');
    client.socket.send(Buffer.from([1, 2, 3]));
    client.send({ id: 1, type: 'fly' });
    client.send({ id: 2, type: 'get' });
    client.send([{ id: 3, type: 'get', turn: 'x' }]);
    client.send({ id: 4, type: 'get', turn: 'none' });
    client.send({ id: 5, type: 'start', agent: 'alpha', input: 'hi', path: 'loop' });
    await client.until(({ id }) => id === 5);
    expect(client.seen.map(({ type, id, code }) => [type, id, code])).toEqual([
      ['error', null, 'invalid_body'],
      ['error', null, 'invalid_body'],
      ['error', 1, 'invalid_body'],
      ['error', 2, 'invalid_body'],
      ['error', null, 'invalid_body'],
      ['error', 4, 'not_found'],
      ['error', 5, 'invalid_body'],
    ]);
    client.socket.close();
  });

  it('closes on a frame that is too large', async () => {
    const client = await clientOf(daemon.local());
    client.socket.send('x'.repeat(70_000));
    expect(await client.closed).toBe(1009);
  });

  it('is cut when it asks on and does not read', async () => {
    const client = await clientOf(daemon.local());
    client.socket.pause();
    // Its own words come back to it with what is wrong in them.
    const frame = JSON.stringify({ type: 'get', id: 1, turn: 'x', ['y'.repeat(60_000)]: 1 });
    const gone = new Promise<void>((done) =>
      client.socket.once('close', () => {
        done();
      }),
    );
    for (let n = 0; n < 600; n += 1) client.socket.send(frame);
    // Nothing is read until the other side has given up: writing fails then.
    await expect.poll(() => client.socket.readyState).not.toBe(WebSocket.OPEN);
    client.socket.terminate();
    await gone;
  });

  it('is told nothing more once its token is revoked', async () => {
    const caller = await daemon.issue({ name: 'brief', roles: ['operator'] });
    const client = await clientOf(caller.token);
    resultOf(await client.ask({ type: 'start', agent: 'alpha', input: 'slow' }));
    const { body } = await daemon.admin().get('/v1/tokens');
    const { items } = body as { items: { token?: string; id?: string; name: string }[] };
    const own = items.find(({ name }) => name === 'brief');
    await daemon.admin().delete(`/v1/tokens/${own?.id ?? own?.token ?? ''}`);
    expect(await client.closed).toBe(1008);
  });

  it('survives any frames and any bytes', async () => {
    const client = await clientOf(daemon.local());
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.json(),
            fc
              .record({
                type: fc.constantFrom('start', 'get', 'steer', 'decide', 'subscribe', '__proto__'),
                id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
                turn: fc.jsonValue(),
              })
              .map((frame) => JSON.stringify(frame)),
          ),
          { maxLength: 6 },
        ),
        async (frames) => {
          const before = client.seen.length;
          for (const frame of frames) client.socket.send(frame);
          await client.ask({ type: 'get', turn: 'none' });
          const answers = client.seen.slice(before);
          expect(answers).toHaveLength(frames.length + 1);
          expect(answers.every(({ type }) => type === 'error')).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
    client.socket.close();
    // Bytes that are no frame at all.
    const raw = connect(Number(new URL(daemon.url()).port), '127.0.0.1');
    raw.write(
      `GET /v1/ws HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nauthorization: Bearer ${daemon.local()}\r\n\r\n`,
    );
    await once(raw, 'data');
    raw.write(Buffer.alloc(64, 0xff));
    raw.resume();
    await once(raw, 'close');
    expect((await daemon.admin().get('/healthz')).status).toBe(200);
  });
});
