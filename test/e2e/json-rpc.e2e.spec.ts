import { lstat, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { rpcClient, type RpcClient, type RpcMessage } from '../support/rpc-client.ts';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

const config = `
[agents.alpha]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
[agents.beta]
enabled = false
[risk_profiles.open]
autonomy = "supervised"
[risk_profiles.open.tools]
allowed = ["file_*", "ask_user", "time_now"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[people.ana]
identities = ["local:local"]
roles = ["approver"]
[gateway]
max_body_kb = 64
`;
const script = `
scenarios:
  - when: slow
    steps: [{ say: late, wait_ms: 60000 }]
  - when: question
    steps:
      - calls: [{ tool: ask_user, args: { question: 'which?' } }]
      - { say: asked }
  - when: write
    steps:
      - calls: [{ tool: file_write, args: { path: note.txt, content: hi } }]
      - { say: written }
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

/** A client that has said what it is. */
const greeted = async (hello: object = {}): Promise<RpcClient> => {
  const client = await rpcClient(daemon.data);
  const answer = await client.call('initialize', hello);
  expect(answer.error).toBeUndefined();
  return client;
};

const idOf = ({ result }: RpcMessage): string => String(result?.['id']);
const ended = (client: RpcClient, turn: string): Promise<RpcMessage> =>
  client.until(({ method, params }) => method === 'turn.ended' && params?.['id'] === turn);

const eventsOf = async (type: string): Promise<LockstepEvent[]> => {
  const { body } = await daemon.admin().get(`/v1/events?types=${type}&limit=500`);
  return (body as { items: LockstepEvent[] }).items;
};

describe('given the socket', () => {
  it('is open to its owner alone, and the folder it was made in is gone', async () => {
    const path = join(daemon.data, 'lockstep.sock');
    const stats = await lstat(path);
    expect([stats.isSocket(), stats.mode & 0o777]).toEqual([true, 0o600]);
    expect((await readdir(daemon.data)).filter((name) => name.startsWith('.s'))).toEqual([]);
  });

  it('asks for initialize first, takes it once and answers what there is', async () => {
    const client = await rpcClient(daemon.data);
    const early = await client.call('turns.get', { turn: 'x' });
    const hello = await client.call('initialize', { client: { name: 'spec' } });
    const again = await client.call('initialize');
    expect(early.error).toEqual({ code: -32600, message: 'say `initialize` first' });
    expect(hello.result).toMatchObject({
      protocol: 1,
      principal: { kind: 'local', id: 'local', person: 'ana' },
      limits: { line: 65_536 },
    });
    expect(again.error?.code).toBe(-32600);
    client.close();
  });
});

describe('given a client that starts a turn', () => {
  it('answers at once, tells of events and text, and ends with the reply', async () => {
    const client = await greeted();
    // When
    const started = await client.call('turns.start', { agent: 'alpha', input: 'hi' });
    const end = await ended(client, idOf(started));
    // Then
    expect(started.result).toMatchObject({ status: 'queued', agent: 'alpha', repeat: false });
    expect(end.params).toMatchObject({ status: 'completed', reply: 'hello there', path: 'rpc' });
    const told = client.seen.filter(({ method }) => method === 'turn.event');
    const types = told.map(({ params }) => params?.['type']);
    expect([types[0], types[1], types.at(-2), types.at(-1)]).toEqual([
      'TurnRequested',
      'PolicyResolved',
      'ModelCallCompleted',
      'TurnCompleted',
    ]);
    const deltas = client.seen.filter(({ method }) => method === 'turn.delta');
    expect(deltas.map(({ params }) => params?.['text']).join('')).toBe('hello there');
    client.close();
  });

  it('records the connection before the turn, and its end after it', async () => {
    const client = await greeted({ agent: 'alpha', tools: ['file_read'], mcp: false });
    const started = await client.call('turns.start', { agent: 'alpha', input: 'hi', wait: true });
    client.close();
    expect(started.result).toMatchObject({ status: 'completed', reply: 'hello there' });
    const { body } = await daemon.admin().get(`/v1/turns/${idOf(started)}/events`);
    const [requested, resolved] = (body as { items: LockstepEvent[] }).items;
    if (requested?.type !== 'TurnRequested' || resolved?.type !== 'PolicyResolved')
      throw new Error('a turn begins with its request and its policy');
    expect(requested.meta).toMatchObject({ path: 'rpc', trigger: 'json-rpc' });
    const { origin } = requested.data.request;
    const opened = (await eventsOf('ConnectionOpened')).find(
      ({ data }) =>
        'connection' in origin && 'connection' in data && data.connection === origin.connection,
    );
    expect(origin.kind).toBe('json_rpc');
    expect(opened?.data).toMatchObject({
      kind: 'json_rpc',
      agent: 'alpha',
      narrowing: { 'tools.allowed': [['file_read']], 'mcp.bundles': [] },
      principal: { kind: 'local', id: 'local', person: 'ana' },
    });
    expect(Number(opened?.position)).toBeLessThan(Number(requested.position));
    const taken = resolved.data.narrowings.filter(({ values }) => values !== 'none');
    expect(taken.map(({ whose }) => whose)).toEqual([
      `connection:${'connection' in origin ? origin.connection : ''}`,
    ]);
    await expect
      .poll(async () => (await eventsOf('ConnectionClosed')).map(({ data }) => data))
      .toContainEqual({
        connection: 'connection' in origin ? origin.connection : '',
        why: 'the client went away',
      });
  });

  it('leaves out what the client left out', async () => {
    const client = await greeted({ tools: ['file_read'] });
    const { result } = await client.call('turns.start', {
      agent: 'alpha',
      input: 'clock',
      wait: true,
    });
    const refused = client.seen.find(({ params }) => params?.['type'] === 'ToolCallRefused');
    expect(result).toMatchObject({ status: 'completed', reply: 'done' });
    expect(refused?.params?.['data']).toMatchObject({ rule: 'tools.allowed' });
    client.close();
  });

  it.each([
    ['a tool that the agent has not', { tools: ['shell'] }],
    ['a folder outside the workspace', { cwd: '/usr' }],
  ])('refuses a client that wants %s, and says so', async (_, hello) => {
    const client = await greeted(hello);
    const { error } = await client.call('turns.start', { agent: 'alpha', input: 'hi' });
    expect(error?.code).toBe(-32000);
    expect(error?.message).toContain('asks for more than the policy grants');
    client.close();
  });

  it('judges a folder by where it really is', async () => {
    // Given a link inside the workspace that leads out of it
    const root = join(daemon.data, 'workspaces/alpha');
    await mkdir(join(root, 'inside'), { recursive: true });
    await symlink('/usr', join(root, 'link'));
    const inside = await greeted({ cwd: join(root, 'inside') });
    const link = await greeted({ cwd: join(root, 'link') });
    const there = await inside.call('turns.start', { agent: 'alpha', input: 'hi', wait: true });
    const out = await link.call('turns.start', { agent: 'alpha', input: 'hi', wait: true });
    expect(there.result?.['status']).toBe('completed');
    expect(out.error?.message).toContain('asks for more than the policy grants');
    inside.close();
    link.close();
  });

  it('speaks to no other agent than it said', async () => {
    const client = await greeted({ agent: 'alpha' });
    const { error } = await client.call('turns.start', { agent: 'beta', input: 'hi' });
    expect(error).toMatchObject({ code: -32000, data: { code: 'forbidden' } });
    client.close();
  });

  it('gets the same refusal for an unknown and a disabled agent, recorded', async () => {
    const client = await greeted();
    const answers = await Promise.all(
      ['beta', 'nobody'].map((agent) => client.call('turns.start', { agent, input: 'hi' })),
    );
    for (const [index, alias] of ['beta', 'nobody'].entries()) {
      const error = answers[index]?.error;
      expect(error).toMatchObject({
        code: -32000,
        message: `agent \`${alias}\` is not available`,
        data: { code: 'agent_unavailable' },
      });
      const turn = await daemon.admin().get(`/v1/turns/${String(error?.data?.['turn'])}`);
      expect(turn.body).toMatchObject({
        row: { path: 'rpc', trigger: 'json-rpc', status: 'refused' },
      });
    }
    client.close();
  });

  it('gets the same turn for a repeated key, and a refusal for another body', async () => {
    const client = await greeted();
    const start = { agent: 'alpha', input: 'hi', key: 'k1', wait: true };
    const first = await client.call('turns.start', start);
    const second = await client.call('turns.start', { ...start, wait: false });
    const other = await client.call('turns.start', { ...start, input: 'other' });
    expect(second.result).toMatchObject({ id: idOf(first), repeat: true });
    expect((await ended(client, idOf(first))).params).toMatchObject({ reply: 'hello there' });
    expect(other.error?.data?.['code']).toBe('idempotency_key_reused');
    client.close();
  });
});

describe('given a turn that waits for a person', () => {
  it('asks on the connection, takes the decision there, and goes on', async () => {
    const client = await greeted();
    const started = await client.call('turns.start', { agent: 'alpha', input: 'write' });
    const { params } = await client.until(({ method }) => method === 'approval.requested');
    expect(params).toMatchObject({
      tool: 'builtin:file_write',
      choices: ['once', 'always', 'deny'],
    });
    expect(params?.['view']).toContain('note.txt');
    const listed = await client.call('approvals.list');
    expect(listed.result?.['items']).toMatchObject([{ id: params?.['id'] }]);
    const decision = { choice: 'once', revision: params?.['revision'], shown: params?.['shown'] };
    const approval = params?.['id'];
    const stale = await client.call('approvals.decide', {
      approval,
      decision: { ...decision, revision: 0 },
    });
    const decided = await client.call('approvals.decide', { approval, decision });
    expect(stale.error?.data?.['code']).toBe('stale_revision');
    expect(decided.result).toMatchObject({ id: approval, status: 'decided' });
    expect((await ended(client, idOf(started))).params).toMatchObject({ reply: 'written' });
    const granted = await eventsOf('ApprovalGranted');
    expect(granted.map(({ data }) => ('by' in data ? data.by : null))).toContainEqual({
      principal: 'local',
      person: 'ana',
      surface: 'json_rpc',
    });
    client.close();
  });

  it('answers a wait when the turn waits, and takes an answer to its question', async () => {
    const client = await greeted();
    const parked = await client.call('turns.start', {
      agent: 'alpha',
      input: 'question',
      wait: true,
    });
    expect(parked.result).toMatchObject({ status: 'waiting' });
    const { params } = await client.until(({ method }) => method === 'question.asked');
    const answer = { text: 'that one', revision: params?.['revision'] };
    const taken = await client.call('questions.answer', { question: params?.['id'], answer });
    expect(taken.result).toMatchObject({ status: 'decided' });
    expect((await ended(client, idOf(parked))).params).toMatchObject({ reply: 'asked' });
    client.close();
  });

  it('decides nothing when the client goes away', async () => {
    const client = await greeted();
    const started = await client.call('turns.start', { agent: 'alpha', input: 'write' });
    const { params } = await client.until(({ method }) => method === 'approval.requested');
    client.close();
    const other = await greeted();
    const turn = await other.call('turns.get', { turn: idOf(started) });
    expect(turn.result).toMatchObject({ status: 'waiting', approvals: [params?.['id']] });
    const cancelled = await other.call('turns.cancel', { turn: idOf(started) });
    expect(cancelled.result).toMatchObject({ status: 'requested' });
    other.close();
  });
});

describe('given a client of the socket that does as it likes', () => {
  it.each([
    ['no JSON', 'nonsense\n', -32700, null],
    ['half a character', Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a]), -32700, null],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"turns.get"}]\n', -32600, null],
    ['another version', '{"jsonrpc":"1.0","id":7,"method":"turns.get"}\n', -32600, 7],
    ['an answer', '{"jsonrpc":"2.0","id":8,"result":1}\n', -32600, 8],
    ['an unknown method', '{"jsonrpc":"2.0","id":9,"method":"toString"}\n', -32601, 9],
    ['bad parameters', '{"jsonrpc":"2.0","id":10,"method":"turns.get","params":{}}\n', -32602, 10],
    [
      'parameters by place',
      '{"jsonrpc":"2.0","id":11,"method":"turns.get","params":["x"]}\n',
      -32602,
      11,
    ],
  ])('answers %s with its code and goes on', async (_, line, code, id) => {
    const client = await greeted();
    client.write(line);
    const answer = await client.until(({ error }) => error !== undefined);
    expect([answer.error?.code, answer.id]).toEqual([code, id]);
    const next = await client.call('turns.get', { turn: 'none' });
    expect(next.error?.data?.['code']).toBe('not_found');
    client.close();
  });

  it('answers a line that is too long, and closes', async () => {
    const client = await greeted();
    client.write('x'.repeat(70_000));
    await client.closed;
    expect(client.seen.at(-1)).toMatchObject({ id: null, error: { code: -32600 } });
    client.close();
  });

  it('answers nothing to a notification, and everything else in its order', async () => {
    const client = await greeted();
    client.write(
      [
        { jsonrpc: '2.0', method: 'turns.get', params: { turn: 'none' } },
        ...[1, 2, 3, 4].map((id) => ({
          jsonrpc: '2.0',
          id,
          method: 'turns.get',
          params: { turn: 'none' },
        })),
      ]
        .map((message) => `${JSON.stringify(message)}\n`)
        .join(''),
    );
    await client.until(({ id }) => id === 4);
    expect(client.seen.slice(1).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    client.close();
  });

  it('gets its answers when it has closed its own side', async () => {
    const client = await rpcClient(daemon.data);
    client.socket.end(
      [
        { jsonrpc: '2.0', id: 1, method: 'initialize' },
        {
          jsonrpc: '2.0',
          id: 2,
          method: 'turns.start',
          params: { agent: 'alpha', input: 'hi', wait: true },
        },
      ]
        .map((message) => JSON.stringify(message))
        .join('\n'),
    );
    const answer = await client.until(({ id }) => id === 2);
    expect(answer.result).toMatchObject({ status: 'completed', reply: 'hello there' });
    await client.closed;
  });

  it('is cut when it asks on and does not read', async () => {
    const client = await greeted({ client: { name: 'deaf' } });
    client.socket.pause();
    const before = (await eventsOf('ConnectionClosed')).length;
    // Its own words come back to it with what is wrong in them.
    const params = { turn: 'x', ['y'.repeat(60_000)]: 1 };
    const line = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'turns.get', params })}\n`;
    for (let n = 0; n < 400; n += 1) client.write(line);
    await expect
      .poll(async () => (await eventsOf('ConnectionClosed')).length, { timeout: 30_000 })
      .toBeGreaterThan(before);
    client.close();
  });

  it('survives any bytes, and never answers one client with what another asked', async () => {
    const witness = await greeted();
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.string().map((text) => Buffer.from(`${text}\n`)),
            fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
            fc.json().map((text) => Buffer.from(`${text}\n`)),
            fc
              .record({
                jsonrpc: fc.constant('2.0'),
                id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
                method: fc.constantFrom(
                  'initialize',
                  'turns.get',
                  'turns.steer',
                  'approvals.decide',
                  '__proto__',
                ),
                params: fc.jsonValue(),
              })
              .map((message) => Buffer.from(`${JSON.stringify(message)}\n`)),
          ),
          { maxLength: 8 },
        ),
        async (chunks) => {
          const client = await rpcClient(daemon.data);
          for (const chunk of chunks) client.write(chunk);
          client.socket.end();
          await client.closed;
          for (const message of client.seen)
            expect(message.result !== undefined || typeof message.error?.code === 'number').toBe(
              true,
            );
        },
      ),
      { numRuns: 60 },
    );
    expect(witness.seen).toHaveLength(1);
    const alive = await witness.call('turns.get', { turn: 'none' });
    expect(alive.error?.data?.['code']).toBe('not_found');
    witness.close();
  });
});

describe('given a daemon that stops while turns of a client wait', () => {
  it('keeps what the client chose until they have ended', async () => {
    const other = await runDaemon(config, script);
    const client = await rpcClient(other.data);
    const { result } = await client.call('initialize', { tools: ['file_write'] });
    const start = { agent: 'alpha', session: 's', events: false };
    const first = await client.call('turns.start', { ...start, input: 'write' });
    const { params } = await client.until(({ method }) => method === 'approval.requested');
    const second = await client.call('turns.start', { ...start, input: 'clock' });
    await other.stop();
    await client.closed;
    await other.start();
    const closedOnes = async (): Promise<unknown[]> => {
      const { body } = await other.admin().get('/v1/events?types=ConnectionClosed');
      return (body as { items: LockstepEvent[] }).items.map(({ data }) => data);
    };
    expect(await closedOnes()).toEqual([]);
    // When a person decides after the start
    const decision = { choice: 'once', revision: params?.['revision'], shown: params?.['shown'] };
    await other.admin().post(`/v1/approvals/${String(params?.['id'])}/decision`, decision);
    // Then both turns end, the second under what the client chose
    await expect
      .poll(closedOnes, { timeout: 30_000 })
      .toEqual([{ connection: result?.['connection'], why: 'the daemon was stopped' }]);
    const ends = await Promise.all(
      [first, second].map(async (one) => (await other.admin().get(`/v1/turns/${idOf(one)}`)).body),
    );
    expect(ends).toMatchObject([
      { answer: { status: 'completed', reply: 'written' } },
      { answer: { status: 'completed', reply: 'done' } },
    ]);
    const { body } = await other.admin().get(`/v1/turns/${idOf(second)}/events`);
    const refused = (body as { items: LockstepEvent[] }).items.find(
      ({ type }) => type === 'ToolCallRefused',
    );
    expect(refused?.data).toMatchObject({ rule: 'tools.allowed' });
    await other.remove();
  });
});

describe('given a data folder with a socket in it', () => {
  it('replaces one on which nobody answers, and leaves what is no socket', async () => {
    const other = await runDaemon(config, script);
    await other.stop();
    // Given what a killed daemon leaves behind: a bound file and nobody behind it
    const path = join(other.data, 'lockstep.sock');
    const made = join(other.folder, 's');
    const left = createServer();
    await new Promise<void>((done) => left.listen(made, done));
    const { link, unlink } = await import('node:fs/promises');
    await link(made, path);
    await new Promise<void>((done) =>
      left.close(() => {
        done();
      }),
    );
    await other.start();
    const client = await rpcClient(other.data);
    expect((await client.call('initialize')).result).toMatchObject({ protocol: 1 });
    client.close();
    await other.stop();
    // Given a file of that name
    await unlink(path).catch(() => undefined);
    await writeFile(path, 'mine');
    await other.start();
    expect((await lstat(path)).isFile()).toBe(true);
    expect((await other.admin().get('/healthz')).status).toBe(200);
    await other.remove();
  });
});
