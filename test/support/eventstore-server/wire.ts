import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Kept } from './memory-log.ts';

export const empty = () => new shared.Empty();

export const streamName = (identifier: InstanceType<typeof shared.StreamIdentifier> | undefined) =>
  Buffer.from(identifier?.getStreamName_asU8() ?? new Uint8Array()).toString('utf8');

export const identifierOf = (name: string) => {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(name, 'utf8').toString('base64'));
  return identifier;
};

export const uuidText = (uuid: InstanceType<typeof shared.UUID> | undefined): string => {
  const structured = uuid?.getStructured();
  if (structured === undefined) return uuid?.getString() ?? '';
  const half = (bits: string) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0');
  const hex =
    half(structured.getMostSignificantBits()) + half(structured.getLeastSignificantBits());
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

export const uuidOf = (text: string) => {
  const uuid = new shared.UUID();
  uuid.setString(text);
  return uuid;
};

/** An event as a read answers it. */
export const readEvent = (kept: Kept) => {
  const record = new streams.ReadResp.ReadEvent.RecordedEvent();
  record.setId(uuidOf(kept.id));
  record.setStreamIdentifier(identifierOf(kept.stream));
  record.setStreamRevision(String(kept.revision));
  record.setPreparePosition(String(kept.position));
  record.setCommitPosition(String(kept.position));
  record.getMetadataMap().set('type', kept.type);
  record.getMetadataMap().set('content-type', kept.contentType);
  record.getMetadataMap().set('created', String(BigInt(kept.created) * 10_000n));
  record.setData(kept.data);
  record.setCustomMetadata(kept.metadata);
  const event = new streams.ReadResp.ReadEvent();
  event.setEvent(record);
  event.setCommitPosition(String(kept.position));
  const answer = new streams.ReadResp();
  answer.setEvent(event);
  return answer;
};

/** An error as the server sends it: the kind stands in the trailing metadata. */
export const failure = (
  code: status,
  details: string,
  fields: Readonly<Record<string, string>> = {},
): ServiceError => {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(fields)) metadata.set(key, value);
  return Object.assign(new Error(details), { code, details, metadata });
};

export const notReady = (): ServiceError => failure(status.UNAVAILABLE, 'Server Is Not Ready');

export const notLeader = (leader: { readonly host: string; readonly port: number }): ServiceError =>
  failure(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': leader.host,
    'leader-endpoint-port': String(leader.port),
  });
