import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

export interface DiscordCall {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A local server that speaks Discord's REST and gateway as far as a bot needs them. */
export interface DiscordServer {
  /** The address of the API. */
  readonly url: string;
  readonly calls: readonly DiscordCall[];
  /** Dispatches an event to the bot. */
  push(type: string, data: object): void;
  /** The next posts of messages fail with these. */
  fail(...failures: readonly DiscordFailure[]): void;
  /** Drops the gateway's socket; the bot resumes. */
  drop(): void;
  readonly connections: () => number;
  close(): Promise<void>;
}

export interface DiscordFailure {
  readonly status: number;
  /** Seconds. */
  readonly retryAfter?: number;
}

const bot = { id: '1', username: 'team', discriminator: '0', bot: true, flags: 0 };

export const startDiscordServer = async (): Promise<DiscordServer> => {
  const calls: DiscordCall[] = [];
  const failures: DiscordFailure[] = [];
  let socket: WebSocket | null = null;
  let connections = 0;
  let sequence = 0;
  let port = 0;

  const answer = (path: string): object | null => {
    if (path.endsWith('/gateway/bot'))
      return {
        url: `ws://127.0.0.1:${port}/socket`,
        shards: 1,
        session_start_limit: { total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1 },
      };
    if (/\/channels\/\d+\/messages$/.test(path))
      return { id: String(7000 + calls.length), channel_id: '50', content: '', author: bot };
    return null;
  };
  const server = createServer((request, response) => {
    void readJson(request).then((body) => {
      const path = request.url ?? '';
      calls.push({ method: request.method ?? '', path, body });
      const failure = path.endsWith('/messages') ? failures.shift() : undefined;
      if (failure !== undefined) {
        const { status, retryAfter } = failure;
        response.writeHead(status, {
          'content-type': 'application/json',
          ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
        });
        response.end(
          JSON.stringify({ message: 'failed', code: 0, retry_after: retryAfter, global: false }),
        );
        return;
      }
      const found = answer(path);
      response.writeHead(found === null ? 204 : 200, { 'content-type': 'application/json' });
      response.end(found === null ? undefined : JSON.stringify(found));
    });
  });
  const dispatch = (to: WebSocket, t: string, d: object): void => {
    sequence += 1;
    to.send(JSON.stringify({ op: 0, t, s: sequence, d }));
  };
  const sockets = new WebSocketServer({ server, path: '/socket' });
  sockets.on('connection', (connected) => {
    socket = connected;
    connections += 1;
    connected.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 45_000 }, t: null, s: null }));
    connected.on('message', (data: Buffer) => {
      const { op } = JSON.parse(data.toString()) as { readonly op: number };
      if (op === 1) connected.send(JSON.stringify({ op: 11, d: null, t: null, s: null }));
      if (op === 6) dispatch(connected, 'RESUMED', {});
      if (op === 2)
        dispatch(connected, 'READY', {
          v: 10,
          user: bot,
          guilds: [],
          session_id: 's1',
          resume_gateway_url: `ws://127.0.0.1:${port}/socket`,
          application: { id: '1', flags: 0 },
        });
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${port}/api`,
    calls,
    push: (type, data) => {
      if (socket !== null) dispatch(socket, type, data);
    },
    fail: (...more) => {
      failures.push(...more);
    },
    drop: () => {
      socket?.close(4000);
    },
    connections: () => connections,
    close: () =>
      new Promise((done) => {
        for (const open of sockets.clients) open.terminate();
        sockets.close();
        server.close(() => {
          done();
        });
        server.closeAllConnections();
      }),
  };
};

const readJson = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
};
