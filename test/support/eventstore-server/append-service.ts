import {
  status,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
} from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import { failure, notReady, streamName, uuidText } from './wire.ts';
import type { Appended, Expected, Proposed } from './memory-log.ts';
import type { ServedNode } from './node.ts';

type AppendReq = InstanceType<typeof streams.AppendReq>;
type AppendResp = InstanceType<typeof streams.AppendResp>;
type BatchReq = InstanceType<typeof streams.BatchAppendReq>;
type BatchResp = InstanceType<typeof streams.BatchAppendResp>;

/** One append: options first, then one message per event. */
export const appendCall =
  (node: ServedNode) =>
  (call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>): void => {
    let stream = '';
    let expected: Expected = 'any';
    const events: Proposed[] = [];
    call.on('data', (request: AppendReq) => {
      const options = request.getOptions();
      if (options !== undefined) {
        stream = streamName(options.getStreamIdentifier());
        expected = expectedOf(options);
      }
      const message = request.getProposedMessage();
      if (message !== undefined) events.push(proposed(message));
    });
    call.on('end', () => {
      const refusal = node.refuseWrite(call.metadata);
      if (refusal !== null) {
        answer(refusal);
        return;
      }
      write(node, { stream, expected, events }, (outcome) => {
        if (outcome.kind === 'broken') answer(failure(status.UNAVAILABLE, 'Connection dropped'));
        else if (outcome.kind === 'not-ready') answer(notReady());
        else if (outcome.kind === 'timeout') answer(failure(status.ABORTED, 'Operation timed out'));
        else if (outcome.kind === 'deleted')
          answer(
            failure(status.FAILED_PRECONDITION, `stream '${stream}' is deleted`, {
              exception: 'stream-deleted',
              'stream-name': stream,
            }),
          );
        else answer(null, appended(outcome, expected));
      });
    });
  };

type Outcome =
  | Appended
  | { readonly kind: 'broken' }
  | { readonly kind: 'not-ready' }
  | { readonly kind: 'timeout' };

interface Write {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly Proposed[];
}

/** Writes, as far as the faults let it; who is told nothing is not called back. */
const write = (
  node: ServedNode,
  { stream, expected, events }: Write,
  tell: (outcome: Outcome) => void,
): void => {
  const commit = (): Appended => node.log.append(stream, expected, events);
  switch (node.faults.takeAppend(stream)) {
    case 'silent-after-commit':
      commit();
      return;
    case 'broken-after-commit':
      commit();
      tell({ kind: 'broken' });
      return;
    case 'silent':
      return;
    case 'unavailable':
      tell({ kind: 'not-ready' });
      return;
    case 'timeout':
      tell({ kind: 'timeout' });
      return;
    case 'held':
      node.faults.hold(() => {
        tell(commit());
      });
      return;
    case null:
      tell(commit());
  }
};

/** Appends as messages of one stream, each answered by its correlation id. */
export const batchAppendCall =
  (node: ServedNode) =>
  (call: ServerDuplexStream<BatchReq, BatchResp>): void => {
    const open = new Map<string, Write & { readonly events: Proposed[] }>();
    call.on('error', () => undefined);
    call.on('end', () => {
      call.end();
    });
    call.on('data', (request: BatchReq) => {
      const id = uuidText(request.getCorrelationId());
      const options = request.getOptions();
      if (options !== undefined)
        open.set(id, {
          stream: streamName(options.getStreamIdentifier()),
          expected: batchExpected(options),
          events: [],
        });
      const batch = open.get(id);
      if (batch === undefined) return;
      batch.events.push(...request.getProposedMessagesList().map(proposed));
      if (!request.getIsFinal()) return;
      open.delete(id);
      const refusal = node.refuseWrite(call.metadata);
      if (refusal !== null) {
        call.emit('error', refusal);
        return;
      }
      write(node, batch, (outcome) => {
        if (outcome.kind === 'broken' || outcome.kind === 'not-ready')
          call.emit('error', notReady());
        else call.write(batchAnswer(request, batch, outcome));
      });
    });
  };

const proposed = (
  message:
    | InstanceType<typeof streams.AppendReq.ProposedMessage>
    | InstanceType<typeof streams.BatchAppendReq.ProposedMessage>,
): Proposed => ({
  id: uuidText(message.getId()).toLowerCase(),
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? '',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
});

const expectedOf = (options: InstanceType<typeof streams.AppendReq.Options>): Expected => {
  if (options.hasRevision()) return Number(options.getRevision());
  if (options.hasNoStream()) return 'none';
  return options.hasStreamExists() ? 'exists' : 'any';
};

const batchExpected = (options: InstanceType<typeof streams.BatchAppendReq.Options>): Expected => {
  if (options.hasStreamPosition()) return Number(options.getStreamPosition());
  if (options.hasNoStream()) return 'none';
  return options.hasStreamExists() ? 'exists' : 'any';
};

const appended = (
  outcome: Extract<Appended, { kind: 'written' | 'wrong' }>,
  expected: Expected,
): AppendResp => {
  const answer = new streams.AppendResp();
  if (outcome.kind === 'written') {
    const position = new streams.AppendResp.Position();
    position.setCommitPosition(String(outcome.position));
    position.setPreparePosition(String(outcome.position));
    const success = new streams.AppendResp.Success();
    success.setCurrentRevision(String(outcome.revision));
    success.setPosition(position);
    answer.setSuccess(success);
    return answer;
  }
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (outcome.current === null) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(outcome.current));
  if (expected === 'none') wrong.setExpectedNoStream(new shared.Empty());
  else if (expected === 'exists') wrong.setExpectedStreamExists(new shared.Empty());
  else if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
  else wrong.setExpectedRevision(String(expected));
  answer.setWrongExpectedVersion(wrong);
  return answer;
};

const batchAnswer = (
  request: BatchReq,
  { stream, expected }: Write,
  outcome: Exclude<Outcome, { kind: 'broken' | 'not-ready' }>,
): BatchResp => {
  const answer = new streams.BatchAppendResp();
  answer.setCorrelationId(request.getCorrelationId());
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream).toString('base64'));
  answer.setStreamIdentifier(identifier);
  if (outcome.kind === 'written') {
    const position = new shared.AllStreamPosition();
    position.setCommitPosition(String(outcome.position));
    position.setPreparePosition(String(outcome.position));
    const success = new streams.BatchAppendResp.Success();
    success.setCurrentRevision(String(outcome.revision));
    success.setPosition(position);
    answer.setSuccess(success);
    return answer;
  }
  const [name, details] = batchError(outcome, expected);
  const packed = new anyPb.Any();
  packed.pack(details.serializeBinary(), `event_store.client.${name}`);
  const error = new statuses.Status();
  error.setMessage(name);
  error.setDetails(packed);
  answer.setError(error);
  return answer;
};

const batchError = (
  outcome: Exclude<Outcome, { kind: 'written' | 'broken' | 'not-ready' }>,
  expected: Expected,
): readonly [string, { serializeBinary(): Uint8Array }] => {
  if (outcome.kind === 'timeout') return ['Timeout', new shared.Timeout()];
  if (outcome.kind === 'deleted') return ['StreamDeleted', new shared.StreamDeleted()];
  const wrong = new shared.WrongExpectedVersion();
  if (outcome.current === null) wrong.setCurrentNoStream(new emptyPb.Empty());
  else wrong.setCurrentStreamRevision(String(outcome.current));
  if (expected === 'none') wrong.setExpectedNoStream(new emptyPb.Empty());
  else if (expected === 'exists') wrong.setExpectedStreamExists(new emptyPb.Empty());
  else if (expected === 'any') wrong.setExpectedAny(new emptyPb.Empty());
  else wrong.setExpectedStreamPosition(String(expected));
  return ['WrongExpectedVersion', wrong];
};
