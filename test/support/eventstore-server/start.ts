import { Faults } from './faults.ts';
import { MemoryLog } from './memory-log.ts';
import { ClusterNode, host, type Credentials, type ServerTls } from './node.ts';

/** A server, or a cluster of them, that speaks the protocol of EventStoreDB and keeps its log in memory. */
export interface EventStoreServer {
  readonly log: MemoryLog;
  readonly faults: Faults;
  /** Of a cluster: `esdb+discover` over its first node. */
  readonly connection: string;
  readonly ports: readonly number[];
  /** Makes another node the leader; the old one tells its callers. */
  elect(node: number): void;
  /** Kills a node, or starts it again at its port. */
  stopNode(node: number): void;
  startNode(node: number): Promise<void>;
  close(): void;
}

export const startEventStoreServer = async (
  options: {
    readonly nodes?: number;
    readonly tls?: ServerTls;
    readonly credentials?: Credentials;
  } = {},
): Promise<EventStoreServer> => {
  const { nodes: count = 1, tls = null, credentials = null } = options;
  const log = new MemoryLog();
  const faults = new Faults();
  seed(log);
  let leader = 0;
  const nodes: ClusterNode[] = [];
  const nodeAt = (index: number): ClusterNode => {
    const node = nodes[index];
    if (node === undefined) throw new RangeError(`there is no node ${index}`);
    return node;
  };
  const parts = {
    log,
    faults,
    tls,
    credentials,
    leader: () => nodeAt(leader),
    members: () => nodes,
  };
  const make = (): ClusterNode => new ClusterNode(parts);
  for (let i = 0; i < count; i++) nodes.push(make());
  await Promise.all(nodes.map((node) => node.listen()));
  const hosts = nodes.map(({ port }) => `${host}:${port}`);
  return {
    log,
    faults,
    connection:
      count === 1
        ? `esdb://${hosts[0] ?? ''}?tls=${tls !== null}`
        : `esdb://${hosts.join(',')}?tls=${tls !== null}`,
    ports: nodes.map(({ port }) => port),
    elect: (index) => {
      const before = nodeAt(leader);
      leader = index;
      before.unseat();
    },
    stopNode: (index) => {
      nodeAt(index).stop();
    },
    startNode: async (index) => {
      const node = make();
      node.port = nodeAt(index).port;
      nodes[index] = node;
      await node.listen();
    },
    close: () => {
      for (const node of nodes) node.stop();
    },
  };
};

/** What stands in every real log beside ours: events of the server, and of other programs. */
const seed = (log: MemoryLog): void => {
  const event = (id: number, type: string) => ({
    id: `00000000-0000-4000-9000-00000000000${id}`,
    type,
    contentType: 'application/json',
    data: Buffer.from('{}'),
    metadata: new Uint8Array(),
  });
  log.append('$$$settings', 'any', [event(1, '$metadata')]);
  log.append('$stats-node', 'any', [event(2, '$statsCollected')]);
  log.append('order-1', 'any', [event(3, 'OrderPlaced')]);
};
