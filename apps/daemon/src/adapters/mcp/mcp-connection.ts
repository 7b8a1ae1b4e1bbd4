import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CallToolResultSchema,
  ErrorCode,
  ListRootsRequestSchema,
  ListToolsResultSchema,
  McpError,
  ToolListChangedNotificationSchema,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import type { OpenedTransport } from './open-transport.ts';
import { ServerUnavailable } from './mcp-context.ts';

const connectMs = 30_000;
const pingMs = 5_000;
const mostPages = 50;
const mostListed = 2_000;
const timedOut: number = ErrorCode.RequestTimeout;
const closed: number = ErrorCode.ConnectionClosed;
/** Node's timers take no longer ones. */
const longestMs = 2 ** 31 - 1;

export type CallEnd =
  | { readonly kind: 'result'; readonly result: CallToolResult }
  | { readonly kind: 'timeout' | 'cancelled' }
  | { readonly kind: 'lost' | 'refused'; readonly message: string };

/** One initialized client of one server. */
export class McpConnection {
  readonly #client: Client;
  readonly #lastWords: () => string;
  readonly #lost: Promise<string>;
  #lose: (message: string) => void = () => undefined;
  #tools: Promise<readonly Tool[]> | null = null;
  #open = true;

  private constructor(client: Client, lastWords: () => string, onClosed: () => void) {
    this.#client = client;
    this.#lastWords = lastWords;
    this.#lost = new Promise((resolve) => {
      this.#lose = (message) => {
        if (!this.#open) return;
        this.#open = false;
        resolve(message);
        onClosed();
        client.close().catch(() => undefined);
      };
    });
  }

  /** @throws ServerUnavailable */
  static async open(
    opened: OpenedTransport,
    roots: readonly string[] | null,
    onClosed: () => void,
  ): Promise<McpConnection> {
    const client = new Client(
      { name: 'lockstep', version: '1' },
      { capabilities: roots === null ? {} : { roots: {} } },
    );
    if (roots !== null)
      client.setRequestHandler(ListRootsRequestSchema, () => ({
        roots: roots.map((path) => ({ uri: pathToFileURL(path).href, name: path })),
      }));
    const connection = new McpConnection(client, opened.lastWords, onClosed);
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      connection.#tools = null;
    });
    client.onclose = () => {
      connection.#lose(connection.#ending('the server ended'));
    };
    client.onerror = (error) => {
      connection.#onError(error);
    };
    try {
      await client.connect(opened.transport, { timeout: connectMs });
    } catch (error) {
      connection.#lose('');
      throw new ServerUnavailable(connection.#ending(messageOf(error)));
    }
    return connection;
  }

  /** Every tool of the server, all pages; asked again after the server said that they changed. */
  tools(): Promise<readonly Tool[]> {
    this.#tools ??= this.#list().catch((error: unknown) => {
      this.#tools = null;
      throw new ServerUnavailable(this.#ending(messageOf(error)));
    });
    return this.#tools;
  }

  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number | 'unlimited' },
  ): Promise<CallEnd> {
    const timeout = options.timeoutMs === 'unlimited' ? longestMs : options.timeoutMs;
    const answered = this.#client
      .request({ method: 'tools/call', params: { name, arguments: args } }, CallToolResultSchema, {
        signal: options.signal,
        timeout: Math.min(timeout, longestMs),
        onprogress: () => undefined,
      })
      .then((result): CallEnd => ({ kind: 'result', result }))
      .catch((error: unknown) => endOf(error, options.signal));
    const lost = this.#lost.then((message): CallEnd => ({ kind: 'lost', message }));
    return Promise.race([answered, lost]);
  }

  async close(): Promise<void> {
    this.#open = false;
    await this.#client.close();
  }

  async #list(): Promise<readonly Tool[]> {
    const tools: Tool[] = [];
    const cursors = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < mostPages && tools.length < mostListed; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const listed = await this.#client.request(
        { method: 'tools/list', params },
        ListToolsResultSchema,
        { timeout: connectMs },
      );
      tools.push(...listed.tools);
      cursor = listed.nextCursor;
      if (cursor === undefined || cursors.has(cursor)) break;
      cursors.add(cursor);
    }
    return tools.slice(0, mostListed);
  }

  /** A call over HTTP does not notice that its server died: the transport only says so here. */
  #onError(error: Error): void {
    if (/^(Maximum reconnection attempts|Failed to reconnect)/.test(error.message))
      this.#lose('the server does not answer any more');
    else if (error.message.startsWith('SSE stream disconnected'))
      this.#client.ping({ timeout: pingMs }).catch(() => {
        this.#lose('the server does not answer any more');
      });
  }

  #ending(message: string): string {
    const words = this.#lastWords();
    return words === '' ? message : `${message}: ${words}`;
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const endOf = (error: unknown, signal: AbortSignal): CallEnd => {
  if (signal.aborted) return { kind: 'cancelled' };
  if (error instanceof McpError) {
    if (error.code === timedOut) return { kind: 'timeout' };
    if (error.code === closed) return { kind: 'lost', message: error.message };
    return { kind: 'refused', message: error.message };
  }
  // The transport's own failures: a status below 500 says that the call was not taken.
  const status = error instanceof Error && 'code' in error ? Number(error.code) : Number.NaN;
  return status >= 400 && status < 500
    ? { kind: 'refused', message: messageOf(error) }
    : { kind: 'lost', message: messageOf(error) };
};
