import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHarness, type Harness } from './server.fixture.ts';

let folder: string;
let daemon: Harness;
let url: string;
const opened: AbortController[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-sse-'));
  daemon = await startHarness(folder);
  url = await daemon.server.listen(0, '127.0.0.1');
});
afterEach(async () => {
  for (const stream of opened.splice(0)) stream.abort();
  await daemon.close();
  await rm(folder, { recursive: true, force: true });
});

interface Frame {
  readonly id: string | null;
  readonly event: string | null;
  readonly data: { readonly type?: string; readonly position?: string } | null;
}

/** Frames of one stream as they come, keep-alive lines included. */
const open = async (
  path: string,
  headers: Record<string, string> = {},
): Promise<AsyncGenerator<Frame>> => {
  const stop = new AbortController();
  opened.push(stop);
  const answer = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${daemon.local}`, ...headers },
    signal: stop.signal,
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  if (answer.body === null) throw new Error('a stream has a body');
  return frames(answer.body);
};

const frames = async function* (body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  let rest = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    rest += chunk;
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield frameOf(block);
  }
};

const frameOf = (block: string): Frame => {
  const field = (name: string): string | null =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? null;
  const data = field('data');
  return {
    id: field('id'),
    event: field('event'),
    data: data === null ? null : (JSON.parse(data) as Frame['data']),
  };
};

const next = async (stream: AsyncGenerator<Frame>): Promise<Frame | null> => {
  const step = await stream.next();
  return step.done === true ? null : step.value;
};

/** One event of the agent's stream, by the way that a person takes. */
const pause = (alias: string, how: 'pause' | 'resume') =>
  request(daemon.http)
    .post(`/v1/agents/${alias}/${how}`)
    .set({ authorization: `Bearer ${daemon.local}` })
    .send({})
    .expect(200);

describe('given somebody who follows the log', () => {
  it('sends history, one caught-up mark, then what comes', async () => {
    await pause('alpha', 'pause');
    const stream = await open('/v1/events/stream?after=start&types=AgentPaused,AgentResumed');
    expect((await next(stream))?.data?.type).toBe('AgentPaused');
    expect((await next(stream))?.event).toBe('caught-up');
    await pause('alpha', 'resume');
    const live = await next(stream);
    expect([live?.event, live?.data?.type]).toEqual(['event', 'AgentResumed']);
    expect(live?.id).toMatch(/^.+:\d{20}$/);
  });

  it('goes on after the last event that the client saw', async () => {
    await pause('alpha', 'pause');
    await pause('alpha', 'resume');
    const stream = await open('/v1/events/stream?after=start&agent=alpha');
    const first = await next(stream);
    const again = await open('/v1/events/stream?after=start&agent=alpha', {
      'last-event-id': first?.id ?? '',
    });
    expect((await next(again))?.data?.type).toBe('AgentResumed');
  });

  it('tells a client of another log to begin anew', async () => {
    const stream = await open('/v1/events/stream', {
      'last-event-id': 'another-log:00000000000000000001',
    });
    const reset = await next(stream);
    expect(reset?.event).toBe('reset');
    expect((await next(stream))?.event).toBe('caught-up');
    await pause('alpha', 'pause');
    expect((await next(stream))?.data?.type).toBe('AgentPaused');
  });

  it('shows a scoped token its own agents, and nothing of the access stream', async () => {
    const token = await daemon.token(['auditor'], ['beta']);
    const stream = await open('/v1/events/stream?after=start', {
      authorization: `Bearer ${token}`,
    });
    expect((await next(stream))?.event).toBe('caught-up');
    await pause('alpha', 'pause');
    await pause('beta', 'pause');
    const seen = await next(stream);
    expect(seen?.data).toMatchObject({ type: 'AgentPaused', stream: 'agent-beta' });
  });

  it('ends when its token is revoked', async () => {
    const issued = await request(daemon.http)
      .post('/v1/tokens')
      .set({ authorization: `Bearer ${daemon.local}` })
      .send({ name: 'tail', roles: ['auditor'] });
    const { id, token } = issued.body as { id: string; token: string };
    const stream = await open('/v1/events/stream', { authorization: `Bearer ${token}` });
    expect((await next(stream))?.event).toBe('caught-up');
    await request(daemon.http)
      .delete(`/v1/tokens/${id}`)
      .set({ authorization: `Bearer ${daemon.local}` })
      .expect(204);
    expect(await next(stream)).toBeNull();
  });
});

describe('given a quiet stream', () => {
  it('repeats the last id, without an event', async () => {
    await daemon.close();
    daemon = await startHarness(folder, undefined, { keepAliveMs: 20, stalledMs: 30_000 });
    url = await daemon.server.listen(0, '127.0.0.1');
    const stream = await open('/v1/events/stream');
    const mark = await next(stream);
    const quiet = await next(stream);
    expect(quiet).toEqual({ id: mark?.id, event: null, data: null });
  });
});

describe('given a client that does not read', () => {
  it('is cut', async () => {
    await daemon.close();
    daemon = await startHarness(folder, undefined, { keepAliveMs: 15_000, stalledMs: 50 });
    url = await daemon.server.listen(0, '127.0.0.1');
    const { port } = daemon.server.app.getHttpServer().address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    socket.pause();
    socket.write(
      `GET /v1/events/stream?after=start HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${daemon.local}\r\n\r\n`,
    );
    // Resolves only once the server gave up on the socket, which is still open on this side.
    await fill();
    expect([daemon.open(), socket.destroyed]).toEqual([0, false]);
    socket.destroy();
  });
});

/** Lets the server write into a socket that nobody reads, until it gives up. */
const fill = async (): Promise<void> => {
  const writer = setInterval(() => {
    void daemon.accessLog.trailViewed(
      { kind: 'local', id: 'local', person: null },
      'alpha',
      'x'.repeat(100_000),
    );
  }, 2);
  await new Promise<void>((resolve) => {
    const look = setInterval(() => {
      if (daemon.open() > 0) seen = true;
      if (seen && daemon.open() === 0) {
        clearInterval(look);
        resolve();
      }
    }, 5);
    let seen = false;
  });
  clearInterval(writer);
};
