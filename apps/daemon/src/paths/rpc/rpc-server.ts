import type { Socket } from 'node:net';
import { ConnectionRecords } from './connection-records.ts';
import { JsonRpcConnection, type RpcParts } from './json-rpc-connection.ts';
import { openLocalSocket, SocketError, type LocalSocket } from './local-socket.ts';
import { AcpClient, type AcpParts } from './acp-client.ts';
import { socketNames } from './socket-names.ts';

/** Clients of this machine's own sockets. */
export interface RpcServer {
  /** Why clients cannot come in; null = they can. */
  readonly problem: string | null;
  close(): Promise<void>;
}

interface Client {
  run(): Promise<void>;
  close(): void;
}

type Given = Omit<RpcParts, 'records'> &
  Omit<AcpParts, 'records'> &
  Pick<ConstructorParameters<typeof ConnectionRecords>[0], 'recorder'>;

/** Opens both sockets. A machine on which that cannot be has a daemon without them, which says so. */
export const openRpcServer = async (folder: string, given: Given): Promise<RpcServer> => {
  const records = new ConnectionRecords(given);
  const parts = { ...given, records };
  const clients = new Map<Client, Promise<void>>();
  const take = (client: Client): void => {
    const running = client.run().catch((err: unknown) => {
      given.log.error({ err }, 'a client of the socket met a problem');
    });
    clients.set(client, running);
    void running.then(() => clients.delete(client));
  };
  const sockets: LocalSocket[] = [];
  const left = records.closeLeft(given.ledger).catch((err: unknown) => {
    given.log.error({ err }, 'connections of an earlier run cannot be closed');
  });
  const close = async (): Promise<void> => {
    await Promise.all(sockets.map((socket) => socket.close()));
    records.stop();
    const running = [...clients.values()];
    for (const client of clients.keys()) client.close();
    await Promise.all([...running, left]);
  };
  const open = async (name: string, make: (socket: Socket) => Client): Promise<void> => {
    sockets.push(
      await openLocalSocket(folder, name, (socket) => {
        take(make(socket));
      }),
    );
  };
  try {
    await open(socketNames.jsonRpc, (socket) => new JsonRpcConnection(parts, socket));
    await open(socketNames.acp, (socket) => new AcpClient(parts, socket));
  } catch (thrown) {
    await close();
    if (!(thrown instanceof SocketError)) throw thrown;
    given.log.warn(`no JSON-RPC and no ACP: ${thrown.message}`);
    return { problem: thrown.message, close: () => Promise.resolve() };
  }
  return { problem: null, close };
};
