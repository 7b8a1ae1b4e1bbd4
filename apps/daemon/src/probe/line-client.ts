import { connect, type Socket } from 'node:net';

/** What comes back under the id of a call. */
export interface Answer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string; readonly data?: unknown };
}

/** A client that speaks JSON-RPC in lines, and answers nothing that it is asked. */
export class LineClient {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #ids = 0;
  #held = '';

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('error', () => undefined);
    socket.on('data', (text: string) => {
      const lines = (this.#held + text).split('\n');
      this.#held = lines.pop() ?? '';
      for (const line of lines) this.#take(JSON.parse(line) as Answer & { readonly id?: unknown });
    });
  }

  /** @throws Error when nothing listens there */
  static open(path: string): Promise<LineClient> {
    return new Promise((done, failed) => {
      const socket = connect(path);
      socket.once('error', failed);
      socket.once('connect', () => {
        done(new LineClient(socket));
      });
    });
  }

  write(line: object): void {
    this.#socket.write(`${JSON.stringify(line)}\n`);
  }

  call(method: string, params: object): Promise<Answer> {
    this.#ids += 1;
    const id = this.#ids;
    this.write({ jsonrpc: '2.0', id, method, params });
    return new Promise((done) => {
      this.#waiting.set(id, done);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(message: Answer & { readonly id?: unknown; readonly method?: unknown }): void {
    if (message.method !== undefined || typeof message.id !== 'number') return;
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }
}
