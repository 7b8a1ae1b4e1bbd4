import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

/** A message of the socket, as it came. */
export interface RpcMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}

/** A client of the JSON-RPC socket of one data folder. */
export interface RpcClient {
  readonly socket: Socket;
  /** Everything that came, in order. */
  readonly seen: readonly RpcMessage[];
  /** Writes as it is. */
  readonly write: (text: string | Buffer) => void;
  /** Sends a request and answers what comes back under its id. */
  readonly call: (method: string, params?: object) => Promise<RpcMessage>;
  /** Resolves with the first message that fits, past or to come. */
  readonly until: (fits: (message: RpcMessage) => boolean) => Promise<RpcMessage>;
  /** Resolves when the other side has closed. */
  readonly closed: Promise<void>;
  readonly close: () => void;
}

export const rpcClient = async (data: string): Promise<RpcClient> => {
  const socket = connect({ path: join(data, 'lockstep.sock'), allowHalfOpen: true });
  await new Promise<void>((done, failed) => {
    socket.once('connect', done);
    socket.once('error', failed);
  });
  const seen: RpcMessage[] = [];
  const waiting = new Set<() => void>();
  let held = '';
  socket.setEncoding('utf8');
  socket.on('error', () => undefined);
  socket.on('data', (text: string) => {
    const lines = (held + text).split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) seen.push(JSON.parse(line) as RpcMessage);
    for (const look of [...waiting]) look();
  });
  const closed = new Promise<void>((done) => {
    socket.once('end', done);
    socket.once('close', done);
  });
  const until: RpcClient['until'] = (fits) =>
    new Promise((done, failed) => {
      const look = (): void => {
        const found = seen.find(fits);
        if (found === undefined) return;
        waiting.delete(look);
        done(found);
      };
      waiting.add(look);
      look();
      void closed.then(() => {
        if (waiting.delete(look))
          failed(new Error(`closed before it came, after ${JSON.stringify(seen)}`));
      });
    });
  let next = 0;
  return {
    socket,
    seen,
    until,
    closed,
    write: (text) => void socket.write(text),
    call: (method, params) => {
      next += 1;
      const id = `c${next}`;
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return until((message) => message.id === id);
    },
    close: () => {
      socket.destroy();
    },
  };
};
