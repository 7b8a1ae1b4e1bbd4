import type { FastifyReply, FastifyRequest } from 'fastify';

export interface SseMessage {
  readonly id?: string;
  readonly event?: string;
  readonly data: unknown;
}

export interface SseLimits {
  /** An id-only line goes out when nothing else did for so long. */
  readonly keepAliveMs: number;
  /** A client that reads nothing for so long is cut. */
  readonly stalledMs: number;
}

export const sseLimits: SseLimits = { keepAliveMs: 15_000, stalledMs: 30_000 };

/** One open stream of server-sent events. What is not read yet is never more than one message and the socket's own buffer. */
export class SseChannel {
  readonly #reply: FastifyReply;
  readonly #limits: SseLimits;
  readonly #ended = new AbortController();
  readonly #keepAlive: NodeJS.Timeout;
  #lastId: string | null;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    limits: SseLimits,
    lastId: string | null,
  ) {
    this.#reply = reply;
    this.#limits = limits;
    this.#lastId = lastId;
    reply.hijack();
    reply.raw.on('close', () => {
      this.end();
    });
    reply.raw.on('error', () => {
      this.end();
    });
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    reply.raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    reply.raw.flushHeaders();
    request.raw.socket.setNoDelay(true);
    this.#keepAlive = setInterval(() => {
      void this.#write(this.#lastId === null ? ':\n\n' : `id: ${this.#lastId}\n\n`);
    }, limits.keepAliveMs).unref();
  }

  /** Aborted when the client has gone, was cut, or the stream was ended here. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** The client's connection takes nothing more now. */
  get isFull(): boolean {
    return this.#reply.raw.writableNeedDrain;
  }

  /** Resolves when the client's connection has room for more. */
  send(message: SseMessage): Promise<void> {
    if (message.id !== undefined) this.#lastId = message.id;
    const lines = [
      ...(message.id === undefined ? [] : [`id: ${message.id}`]),
      ...(message.event === undefined ? [] : [`event: ${message.event}`]),
      // JSON text has no line breaks of its own.
      `data: ${JSON.stringify(message.data)}`,
    ];
    this.#keepAlive.refresh();
    return this.#write(`${lines.join('\n')}\n\n`);
  }

  /** Data that is no JSON, for protocols of others. */
  sendRaw(data: string): Promise<void> {
    this.#keepAlive.refresh();
    return this.#write(`data: ${data}\n\n`);
  }

  end(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    clearInterval(this.#keepAlive);
    if (!this.#reply.raw.destroyed) this.#reply.raw.end();
  }

  #write(text: string): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeNow(text));
    return this.#writing;
  }

  #writeNow(text: string): Promise<void> {
    const raw = this.#reply.raw;
    if (this.#ended.signal.aborted || raw.destroyed) return Promise.resolve();
    if (raw.write(text)) return Promise.resolve();
    return new Promise((done) => {
      const stalled = setTimeout(() => {
        raw.destroy();
        this.end();
      }, this.#limits.stalledMs).unref();
      const go = (): void => {
        clearTimeout(stalled);
        raw.off('drain', go);
        this.signal.removeEventListener('abort', go);
        done();
      };
      raw.on('drain', go);
      this.signal.addEventListener('abort', go);
    });
  }
}
