import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the server saw it. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

export interface ScriptedServer {
  /** Address without a path. */
  readonly url: string;
  /** Every request, in order of arrival. */
  readonly requests: readonly SeenRequest[];
  /** Resolves at the request with this number (1-based). */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A local server that answers each request as `answer` says, in order. */
export const startScriptedServer = async (
  answer: (seen: SeenRequest, response: ServerResponse, index: number) => void,
): Promise<ScriptedServer> => {
  const requests: SeenRequest[] = [];
  const waiting: { count: number; done: () => void }[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const seen: SeenRequest = {
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
      };
      requests.push(seen);
      for (const w of waiting) if (requests.length >= w.count) w.done();
      answer(seen, response, requests.length - 1);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    arrived: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((done) => waiting.push({ count, done })),
    close: () =>
      new Promise((done) => {
        server.close(() => {
          done();
        });
        server.closeAllConnections();
      }),
  };
};
