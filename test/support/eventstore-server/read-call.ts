import { status, type ServerWritableStream } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { failure, identifierOf, notReady, readEvent, streamName } from './wire.ts';
import type { Kept } from './memory-log.ts';
import type { ServedNode } from './node.ts';

type ReadReq = InstanceType<typeof streams.ReadReq>;
type ReadResp = InstanceType<typeof streams.ReadResp>;
type Options = InstanceType<typeof streams.ReadReq.Options>;
type Call = ServerWritableStream<ReadReq, ReadResp>;

/** Events that are looked at between two rests of a subscription to `$all`, where the request does not say. */
const defaultWindow = 32;

/** Reads of a stream or of `$all`, in both directions, and subscriptions. */
export const readCall =
  (node: ServedNode) =>
  (call: Call): void => {
    const options = call.request.getOptions() ?? new streams.ReadReq.Options();
    const refusal = node.faults.readsRefused ? notReady() : node.refuseRead(call.metadata);
    if (refusal !== null) call.emit('error', refusal);
    else if (options.hasSubscription()) subscribe(node, call, options);
    else void read(node, call, options);
  };

const read = async (node: ServedNode, call: Call, options: Options): Promise<void> => {
  const events = selected(node, options);
  if (events === null) {
    const missing = new streams.ReadResp.StreamNotFound();
    missing.setStreamIdentifier(options.getStream()?.getStreamIdentifier() ?? identifierOf(''));
    const answer = new streams.ReadResp();
    answer.setStreamNotFound(missing);
    call.write(answer);
    call.end();
    return;
  }
  for (const event of events) {
    if (call.cancelled || call.destroyed) return;
    await send(call, readEvent(event));
  }
  call.end();
};

/** What a read answers, in its direction; null = no such stream. */
const selected = (node: ServedNode, options: Options): readonly Kept[] | null => {
  const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
  const passes = filterOf(options);
  const limit = Number(options.getCount());
  const source = sourceOf(node, options, backwards);
  return source?.filter(passes).slice(0, limit) ?? null;
};

const sourceOf = (
  node: ServedNode,
  options: Options,
  backwards: boolean,
): readonly Kept[] | null => {
  const one = options.getStream();
  if (one === undefined) return partOfAll(node, options, backwards);
  const kept = node.log.stream(streamName(one.getStreamIdentifier()));
  if (kept.length === 0) return null;
  const from = one.hasRevision() ? Number(one.getRevision()) : null;
  if (!backwards) return kept.slice(one.hasEnd() ? kept.length : (from ?? 0));
  return (one.hasStart() ? [] : kept.slice(0, from === null ? undefined : from + 1)).toReversed();
};

const partOfAll = (node: ServedNode, options: Options, backwards: boolean): readonly Kept[] => {
  const all = options.getAll();
  const position = all?.getPosition();
  const at = position === undefined ? null : BigInt(position.getCommitPosition());
  const { all: kept } = node.log;
  const nothing = backwards ? all?.hasStart() : all?.hasEnd();
  if (nothing === true) return [];
  const index = at === null ? null : node.log.after(at - 1n);
  return backwards ? kept.slice(0, index ?? undefined).toReversed() : kept.slice(index ?? 0);
};

const filterOf = (options: Options): ((event: Kept) => boolean) => {
  const filter = options.getFilter();
  if (filter === undefined) return () => true;
  const byStream = filter.getStreamIdentifier();
  const expression = byStream ?? filter.getEventType();
  const regex = expression?.getRegex() ?? '';
  const prefixes = expression?.getPrefixList() ?? [];
  const pattern = regex === '' ? null : new RegExp(regex);
  return (event) => {
    const text = byStream === undefined ? event.type : event.stream;
    return pattern?.test(text) ?? prefixes.some((prefix) => text.startsWith(prefix));
  };
};

/** A subscription to `$all` or to a stream: what is there, the mark, then what comes; it waits for a slow reader. */
const subscribe = (node: ServedNode, call: Call, options: Options): void => {
  const one = options.getStream();
  const name = one === undefined ? null : streamName(one.getStreamIdentifier());
  const passes = filterOf(options);
  const filter = options.getFilter();
  const every =
    Math.max(1, filter?.getCheckpointintervalmultiplier() ?? 1) *
    (filter?.hasMax() === true ? filter.getMax() : defaultWindow);
  let index = startIndex(node, options, name);
  let looked = 0;
  let live = false;
  let ended = false;
  let muted = false;
  let wake: (() => void) | null = null;

  const stop = (): void => {
    ended = true;
    forget();
    uncut();
    wake?.();
  };
  const forget = node.log.onAppend(() => wake?.());
  const uncut = node.faults.onDrop((why) => {
    stop();
    call.emit(
      'error',
      why === 'cancelled' ? failure(status.CANCELLED, 'Operation cancelled') : notReady(),
    );
  });
  node.faults.onSilence(() => {
    muted = true;
  });
  const unseat = node.onUnseat(call.metadata, (refusal) => {
    stop();
    call.emit('error', refusal);
  });
  call.on('cancelled', stop);
  call.on('close', () => {
    unseat();
    stop();
  });
  call.on('error', stop);

  const run = async (): Promise<void> => {
    await send(call, confirmation());
    while (!ended) {
      const source = name === null ? node.log.all : node.log.stream(name);
      const event = source[index];
      if (event === undefined) {
        if (!live && !muted) await send(call, caughtUp());
        live = true;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (ended || index < source.length) resolve();
        });
        wake = null;
        continue;
      }
      index += 1;
      looked += 1;
      if (muted) continue;
      if (passes(event)) {
        await send(call, readEvent(event));
        if (node.faults.takeTwice()) await send(call, readEvent(event));
      }
      if (filter !== undefined && looked % every === 0) await send(call, checkpoint(event));
    }
  };
  void run();
};

const startIndex = (node: ServedNode, options: Options, name: string | null): number => {
  if (name !== null) {
    const one = options.getStream();
    if (one?.hasEnd() === true) return node.log.stream(name).length;
    return one?.hasRevision() === true ? Number(one.getRevision()) + 1 : 0;
  }
  const all = options.getAll();
  if (all?.hasEnd() === true) return node.log.all.length;
  const position = all?.getPosition();
  return position === undefined ? 0 : node.log.after(BigInt(position.getCommitPosition()));
};

/** Sends one message and waits while the reader is behind. */
const send = async (call: Call, message: ReadResp): Promise<void> => {
  if (call.cancelled || call.destroyed || call.write(message)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      call.off('drain', done);
      call.off('close', done);
      call.off('cancelled', done);
      resolve();
    };
    call.once('drain', done);
    call.once('close', done);
    call.once('cancelled', done);
  });
};

let subscriptions = 0;
const confirmation = (): ReadResp => {
  subscriptions += 1;
  const confirmed = new streams.ReadResp.SubscriptionConfirmation();
  confirmed.setSubscriptionId(`subscription-${subscriptions}`);
  const answer = new streams.ReadResp();
  answer.setConfirmation(confirmed);
  return answer;
};

const caughtUp = (): ReadResp => {
  const answer = new streams.ReadResp();
  answer.setCaughtUp(new streams.ReadResp.CaughtUp());
  return answer;
};

const checkpoint = ({ position }: Kept): ReadResp => {
  const reached = new streams.ReadResp.Checkpoint();
  reached.setCommitPosition(String(position));
  reached.setPreparePosition(String(position));
  const answer = new streams.ReadResp();
  answer.setCheckpoint(reached);
  return answer;
};
