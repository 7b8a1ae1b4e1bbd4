import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Readonly<Record<string, unknown>>;

export interface TelegramCall {
  readonly method: string;
  readonly token: string;
  readonly body: Json;
}

/** A local server that speaks the Bot API as far as a polling bot needs it. */
export interface TelegramServer {
  readonly url: string;
  readonly calls: readonly TelegramCall[];
  /** An update that the next poll hands out, again and again until a poll confirms it. */
  push(update: { readonly update_id: number }): void;
  /** The next calls of a method fail with these. */
  fail(method: string, ...failures: readonly TelegramFailure[]): void;
  /** Updates that no poll has confirmed. */
  unconfirmed(): number;
  close(): Promise<void>;
}

export interface TelegramFailure {
  readonly status: number;
  readonly description?: string;
  readonly retryAfter?: number;
  /** Sent in place of JSON. */
  readonly text?: string;
}

export const startTelegramServer = async (): Promise<TelegramServer> => {
  const calls: TelegramCall[] = [];
  const failures = new Map<string, TelegramFailure[]>();
  let updates: { readonly update_id: number }[] = [];
  let polls: (() => void)[] = [];
  let sent = 1000;

  const poll = (response: ServerResponse, { offset, timeout }: Json): void => {
    if (typeof offset === 'number') updates = updates.filter((one) => one.update_id >= offset);
    const give = (): void => {
      if (!response.writableEnded) ok(response, updates);
    };
    if (updates.length > 0 || timeout === 0) {
      give();
      return;
    }
    polls.push(give);
    const timer = setTimeout(give, Number(timeout ?? 0) * 1000);
    response.on('close', () => {
      clearTimeout(timer);
    });
  };
  const answer = (method: string, body: Json, response: ServerResponse): void => {
    const failure = failures.get(method)?.shift();
    if (failure !== undefined) {
      fails(response, failure);
      return;
    }
    if (method === 'getUpdates') poll(response, body);
    else if (method === 'getMe')
      ok(response, { id: 1, is_bot: true, first_name: 'Bot', username: 'team_bot' });
    else if (method === 'sendMessage') {
      sent += 1;
      const chat = { id: Number(body['chat_id']), type: 'supergroup' };
      ok(response, { message_id: sent, date: 0, chat, text: body['text'] });
    } else ok(response, true);
  };
  const server = createServer((request, response) => {
    void readJson(request).then((body) => {
      const [, token = '', method = ''] = /^\/bot([^/]+)\/(\w+)/.exec(request.url ?? '') ?? [];
      calls.push({ method, token, body });
      answer(method, body, response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    push: (update) => {
      updates.push(update);
      const waiting = polls;
      polls = [];
      for (const give of waiting) give();
    },
    fail: (method, ...more) => {
      failures.set(method, [...(failures.get(method) ?? []), ...more]);
      // A poll that waits meets the failure at once.
      const waiting = polls;
      polls = [];
      for (const give of waiting) give();
    },
    unconfirmed: () => updates.length,
    close: () =>
      new Promise((done) => {
        server.close(() => {
          done();
        });
        server.closeAllConnections();
      }),
  };
};

const ok = (response: ServerResponse, result: unknown): void => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ ok: true, result }));
};

const fails = (response: ServerResponse, failure: TelegramFailure): void => {
  const { status, description = 'failed', retryAfter, text } = failure;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(
    text ??
      JSON.stringify({
        ok: false,
        error_code: status,
        description,
        ...(retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } }),
      }),
  );
};

const readJson = async (request: IncomingMessage): Promise<Json> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as Json);
};
