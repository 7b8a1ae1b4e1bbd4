import { Server, ServerCredentials, status, type Metadata, type ServiceError } from '@grpc/grpc-js';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import {
  StreamsService,
  type IStreamsServer,
} from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { appendCall, batchAppendCall } from './append-service.ts';
import type { Faults } from './faults.ts';
import type { MemoryLog } from './memory-log.ts';
import { readCall } from './read-call.ts';
import { failure, notLeader, streamName, uuidOf } from './wire.ts';

export const host = '127.0.0.1';

/** TLS of a server, as PEM texts. */
export interface ServerTls {
  readonly key: string;
  readonly cert: string;
}

/** Basic credentials that every call must bring; null = none are asked for. */
export type Credentials = { readonly username: string; readonly password: string } | null;

/** What the services of one node know. */
export interface ServedNode {
  readonly log: MemoryLog;
  readonly faults: Faults;
  refuseWrite(metadata: Metadata): ServiceError | null;
  refuseRead(metadata: Metadata): ServiceError | null;
  /** Calls back when the node stops to lead and the call wants a leader. */
  onUnseat(metadata: Metadata, end: (refusal: ServiceError) => void): () => void;
}

export interface ClusterParts {
  readonly log: MemoryLog;
  readonly faults: Faults;
  readonly tls: ServerTls | null;
  readonly credentials: Credentials;
  leader(): ClusterNode;
  members(): readonly ClusterNode[];
}

/** One node of a cluster: a gRPC server of its own. */
export class ClusterNode {
  readonly #server: Server;
  readonly #parts: ClusterParts;
  readonly #unseats = new Set<() => void>();
  port = 0;
  alive = false;

  constructor(parts: ClusterParts) {
    this.#parts = parts;
    this.#server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
    const served = this.#served();
    this.#server.addService(StreamsService, streamsServer(served));
    this.#server.addService(ServerFeaturesService, {
      getSupportedMethods: (_: unknown, answer: (error: null, methods: unknown) => void) => {
        answer(null, supported());
      },
    });
    this.#server.addService(GossipService, {
      read: (_: unknown, answer: (error: null, info: unknown) => void) => {
        answer(null, clusterInfo(parts));
      },
    });
  }

  async listen(): Promise<void> {
    const { tls } = this.#parts;
    const credentials =
      tls === null
        ? ServerCredentials.createInsecure()
        : ServerCredentials.createSsl(null, [
            { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) },
          ]);
    this.port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync(`${host}:${this.port}`, credentials, (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
    this.alive = true;
  }

  /** Calls that want a leader end: this node is none any more. */
  unseat(): void {
    for (const end of [...this.#unseats]) end();
  }

  /** Ends at once, as a killed process would. */
  stop(): void {
    this.alive = false;
    this.#server.forceShutdown();
  }

  #served(): ServedNode {
    const { log, faults, credentials } = this.#parts;
    const refuse = (metadata: Metadata): ServiceError | null => {
      if (!allowed(metadata, credentials))
        return failure(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
      const leader = this.#parts.leader();
      return wantsLeader(metadata) && leader !== this
        ? notLeader({ host, port: leader.port })
        : null;
    };
    return {
      log,
      faults,
      refuseWrite: refuse,
      refuseRead: refuse,
      onUnseat: (metadata, end) => {
        const one = (): void => {
          end(notLeader({ host, port: this.#parts.leader().port }));
        };
        if (wantsLeader(metadata)) this.#unseats.add(one);
        return () => this.#unseats.delete(one);
      },
    };
  }
}

const streamsServer = (node: ServedNode): IStreamsServer => ({
  read: readCall(node),
  append: appendCall(node),
  batchAppend: batchAppendCall(node),
  // A soft delete hides events from reads and leaves the name free: nothing here asks for that.
  delete: (_call, answer) => {
    answer(failure(status.UNIMPLEMENTED, 'this server deletes nothing'));
  },
  tombstone: (call, answer) => {
    const stream = streamName(call.request.getOptions()?.getStreamIdentifier());
    const at = String(node.log.tombstone(stream));
    const position = new streams.TombstoneResp.Position();
    position.setCommitPosition(at);
    position.setPreparePosition(at);
    const done = new streams.TombstoneResp();
    done.setPosition(position);
    answer(null, done);
  },
});

const wantsLeader = (metadata: Metadata): boolean => metadata.get('requires-leader')[0] === 'true';

const allowed = (metadata: Metadata, credentials: Credentials): boolean => {
  if (credentials === null) return true;
  const { username, password } = credentials;
  const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return metadata.get('authorization')[0] === wanted;
};

const supported = () => {
  const all = new features.SupportedMethods();
  all.setEventStoreServerVersion('24.10.0');
  all.setMethodsList(
    ['append', 'batchappend', 'read', 'delete', 'tombstone'].map((name) => {
      const method = new features.SupportedMethod();
      method.setServiceName('event_store.client.streams.streams');
      method.setMethodName(name);
      return method;
    }),
  );
  return all;
};

const clusterInfo = (parts: ClusterParts) => {
  const info = new gossip.ClusterInfo();
  info.setMembersList(
    parts.members().map((node, i) => {
      const address = new gossip.EndPoint();
      address.setAddress(host);
      address.setPort(node.port);
      const member = new gossip.MemberInfo();
      member.setInstanceId(uuidOf(`00000000-0000-4000-8000-00000000000${i}`));
      member.setTimeStamp('0');
      const { LEADER, FOLLOWER } = gossip.MemberInfo.VNodeState;
      member.setState(node === parts.leader() ? LEADER : FOLLOWER);
      member.setIsAlive(node.alive);
      member.setHttpEndPoint(address);
      return member;
    }),
  );
  return info;
};
