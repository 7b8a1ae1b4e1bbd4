import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

export interface SlackCall {
  readonly method: string;
  readonly body: Readonly<Record<string, string>>;
}

/** A local server that speaks the Web API and socket mode as far as an app needs them. */
export interface SlackServer {
  /** The address of the Web API. */
  readonly url: string;
  readonly calls: readonly SlackCall[];
  /** Sends a frame to the app; without an acknowledgement it can be sent again. */
  push(type: string, payload: object, envelope?: string): void;
  /** Text that is no frame. */
  pushText(text: string): void;
  /** Acknowledged envelopes, in order. */
  readonly acknowledged: readonly string[];
  /** The next calls of a method fail with these. */
  fail(method: string, ...failures: readonly SlackFailure[]): void;
  /** Drops the socket, as Slack does now and then. */
  drop(): void;
  readonly connections: () => number;
  close(): Promise<void>;
}

export interface SlackFailure {
  readonly status: number;
  readonly retryAfter?: number;
  readonly error?: string;
}

export const startSlackServer = async (): Promise<SlackServer> => {
  const calls: SlackCall[] = [];
  const acknowledged: string[] = [];
  const failures = new Map<string, SlackFailure[]>();
  let socket: WebSocket | null = null;
  let connections = 0;
  let sent = 0;
  let port = 0;

  const answers: Readonly<Record<string, () => object>> = {
    'auth.test': () => ({ user_id: 'UBOT', bot_id: 'BBOT', user: 'bot', team_id: 'T1' }),
    'apps.connections.open': () => ({ url: `ws://127.0.0.1:${port}/socket` }),
    'chat.postMessage': () => {
      sent += 1;
      return { channel: 'C1', ts: `900.${sent}`, message: {} };
    },
  };
  const server = createServer((request, response) => {
    void readForm(request).then((body) => {
      const method = (request.url ?? '').replace(/^\/api\//, '').split('?', 1)[0] ?? '';
      calls.push({ method, body });
      const failure = failures.get(method)?.shift();
      const headers = { 'content-type': 'application/json' };
      if (failure === undefined) {
        response.writeHead(200, headers);
        response.end(JSON.stringify({ ok: true, ...(answers[method]?.() ?? {}) }));
        return;
      }
      const { status, retryAfter, error = 'failed' } = failure;
      response.writeHead(status, {
        ...headers,
        ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      });
      response.end(JSON.stringify({ ok: false, error }));
    });
  });
  const sockets = new WebSocketServer({ server, path: '/socket' });
  sockets.on('connection', (connected) => {
    socket = connected;
    connections += 1;
    connected.send(JSON.stringify({ type: 'hello', num_connections: 1 }));
    connected.on('message', (data: Buffer) => {
      const { envelope_id: id } = JSON.parse(data.toString()) as { envelope_id?: string };
      if (id !== undefined) acknowledged.push(id);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
  let envelopes = 0;
  return {
    url: `http://127.0.0.1:${port}/api/`,
    calls,
    acknowledged,
    push: (type, payload, envelope) => {
      envelopes += 1;
      const envelope_id = envelope ?? `e${envelopes}`;
      socket?.send(JSON.stringify({ type, envelope_id, payload, accepts_response_payload: false }));
    },
    pushText: (text) => {
      socket?.send(text);
    },
    fail: (method, ...more) => {
      failures.set(method, [...(failures.get(method) ?? []), ...more]);
    },
    drop: () => {
      socket?.terminate();
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

const readForm = async (request: IncomingMessage): Promise<Record<string, string>> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString('utf8')));
};
