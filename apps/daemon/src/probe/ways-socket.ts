import { mkdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { resolve } from '@lockstep/policy';
import type { FindWays, WayParts } from './way.ts';

interface Answer {
  readonly result?: Readonly<Record<string, unknown>>;
}

/** A client that speaks JSON-RPC in lines, and answers nothing that it is asked. */
class LineClient {
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

const opened = (path: string): Promise<LineClient> =>
  new Promise((done, failed) => {
    const socket = connect(path);
    socket.once('error', failed);
    socket.once('connect', () => {
      done(new LineClient(socket));
    });
  });

export const jsonRpcWays: FindWays = ({ data }, agent) => {
  let client: Promise<LineClient> | null = null;
  const open = async (): Promise<LineClient> => {
    const fresh = await opened(join(data, 'lockstep.sock'));
    await fresh.call('initialize', {});
    return fresh;
  };
  return [
    {
      trigger: 'json-rpc',
      keepsSession: true,
      start: async (input, session) => {
        const line = await (client ??= open());
        const rest = session === null ? {} : { session };
        await line.call('turns.start', { agent, input, ...rest });
      },
      close: async () => {
        (await client)?.close();
      },
    },
  ];
};

/** The agent's own workspace, which the client opens as its folder: so it takes nothing of the roots away. */
const workspaceOf = ({ applied }: WayParts, agent: string): string | null => {
  const found = resolve(
    applied,
    {
      agent,
      principal: { kind: 'local', id: 'local', person: null },
      session: '-',
      origin: { kind: 'run' },
      client: 'none',
    },
    {},
  );
  return found.ok ? found.policy.parts.snapshot.workspace.root : null;
};

export const acpWays: FindWays = (parts, agent) => {
  const cwd = workspaceOf(parts, agent) ?? '/';
  let client: Promise<LineClient> | null = null;
  let sessionId: unknown = null;
  const open = async (): Promise<LineClient> => {
    const fresh = await opened(join(parts.data, 'acp.sock'));
    fresh.write({ agent });
    await fresh.call('initialize', { protocolVersion: 1 });
    return fresh;
  };
  return [
    {
      trigger: 'acp',
      keepsSession: true,
      start: async (input, session) => {
        const line = await (client ??= open());
        if (session === null) {
          mkdirSync(cwd, { recursive: true });
          const { result } = await line.call('session/new', { cwd, mcpServers: [] });
          sessionId = result?.['sessionId'] ?? null;
        }
        void line.call('session/prompt', { sessionId, prompt: [{ type: 'text', text: input }] });
      },
      close: async () => {
        (await client)?.close();
      },
    },
  ];
};
