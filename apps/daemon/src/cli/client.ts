import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import { CliError, exitCodes } from './cli-error.ts';
import type { CliSettings } from './settings.ts';

/** Where a daemon answers, and with what. */
export interface DaemonAddress {
  readonly url: string;
  readonly token: string;
}

const localFile = z.object({
  url: z.url(),
  token: z.string(),
  pid: z.int(),
  console: z.string().optional(),
});

const problemSchema = z.object({
  code: z.string(),
  title: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** The running daemon: named by URL and token, or found through the data folder. Null when none is known. */
export const findDaemon = (settings: CliSettings): DaemonAddress | null => {
  if (settings.url !== null) {
    if (settings.token === null)
      throw new CliError(
        exitCodes.usage,
        'a url needs a token, set `LOCKSTEP_TOKEN` or pass `--token`',
      );
    if (!URL.canParse(settings.url))
      throw new CliError(
        exitCodes.usage,
        `\`${settings.url}\` is no url, write it as \`http://127.0.0.1:7420\``,
      );
    return { url: settings.url, token: settings.token };
  }
  const local = readLocal(settings.data);
  if (local === null) return null;
  return { url: local.url, token: settings.token ?? local.token };
};

/** What the daemon of this data folder left for local programs; null when no daemon runs. */
export const readLocal = (data: string): z.infer<typeof localFile> | null => {
  let text: string;
  try {
    text = readFileSync(join(data, 'local.json'), 'utf8');
  } catch {
    return null;
  }
  const read = localFile.safeParse(parseOrNull(text));
  if (!read.success) return null;
  return isAlive(read.data.pid) ? read.data : null;
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

const parseOrNull = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** One message of a server-sent stream. */
export interface StreamMessage {
  readonly event: string;
  readonly id: string | null;
  readonly data: unknown;
}

/** Speaks to the daemon. Every failure is a `CliError` with the exit code that fits. */
export class ApiClient {
  readonly #address: DaemonAddress;
  constructor(address: DaemonAddress) {
    this.#address = address;
  }

  get url(): string {
    return this.#address.url;
  }

  async get(path: string): Promise<unknown> {
    return this.#json('GET', path);
  }

  async send(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<unknown> {
    return this.#json(method, path, body, headers);
  }

  /** Server-sent events until the server ends them or the signal aborts. */
  async *stream(
    path: string,
    options: { readonly body?: unknown; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<StreamMessage> {
    const response = await this.#fetch(path, {
      method: options.body === undefined ? 'GET' : 'POST',
      headers: { accept: 'text/event-stream', ...jsonHeader(options.body) },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (!response.ok || response.body === null) throw await this.#problem(response);
    const lines = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    for await (const message of lines) {
      if (message.data === '') continue;
      yield {
        event: message.event ?? 'message',
        id: message.id ?? null,
        data: parseOrNull(message.data),
      };
    }
  }

  async #json(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<unknown> {
    const response = await this.#fetch(path, {
      method,
      headers: { accept: 'application/json', ...jsonHeader(body), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw await this.#problem(response);
    if (response.status === 204) return null;
    return response.json();
  }

  async #fetch(
    path: string,
    init: Omit<RequestInit, 'headers'> & { readonly headers: Record<string, string> },
  ): Promise<Response> {
    try {
      return await fetch(new URL(path, this.#address.url), {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${this.#address.token}` },
      });
    } catch (cause) {
      if (init.signal?.aborted === true) throw cause;
      throw new CliError(
        exitCodes.unreachable,
        `the daemon at \`${this.#address.url}\` does not answer, start it with \`lockstep up\``,
        { cause },
      );
    }
  }

  async #problem(response: Response): Promise<CliError> {
    const text = await response.text();
    const read = problemSchema.safeParse(parseOrNull(text));
    if (!read.success)
      return new CliError(
        exitCodes.unreachable,
        `the daemon answered ${response.status} without a reason`,
      );
    const { code, title, detail, errors } = read.data;
    const where = (errors ?? [])
      .map((e) => `\n  ${e.path === '' ? '' : `${e.path}: `}${e.message}`)
      .join('');
    const exit = usageCodes.has(code) ? exitCodes.usage : exitCodes.finding;
    return new CliError(exit, `${detail ?? title ?? code} (${code})${where}`);
  }
}

const usageCodes = new Set([
  'invalid_body',
  'invalid_config',
  'not_found',
  'agent_unavailable',
  'unauthenticated',
]);

const jsonHeader = (body: unknown): Record<string, string> =>
  body === undefined ? {} : { 'content-type': 'application/json' };
