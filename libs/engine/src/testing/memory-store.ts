import { digestOfText } from '@lockstep/policy';
import { appendLimitBytes, eventLimitBytes } from '../events/content.ts';
import type { Position } from '../events/envelope.ts';
import { parseEvent, type LockstepEvent, type NewEvent } from '../events/event.ts';
import { foldLedger } from '../ledger/fold-ledger.ts';
import { ledgerOf } from '../ledger/ledger-of.ts';
import { emptyLedger } from '../ledger/ledger-state.ts';
import { artifactsOver } from '../log/artifacts-over.ts';
import { matchesFilter } from '../log/filter.ts';
import { utf8Bytes } from '../log/size.ts';
import { numberOf, positionOf, stampedEvent } from '../log/stamp.ts';
import { subscription } from '../log/subscription.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type {
  AppendResult,
  EventStore,
  ExpectedRevision,
  ReadAllOptions,
  ReadAllResult,
} from '../ports/event-store.ts';
import type { Ledger } from '../ports/ledger.ts';
import { sequentialIds } from './sequential-ids.ts';

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** Name of the daemon in the events of artifacts. */
  readonly daemon: string;
  /** Ids of the artifacts' events. Absent = counted ones of their own. */
  readonly ids?: Ids;
  /** Events of an earlier store to go on from, as after a restart. */
  readonly log?: readonly LockstepEvent[];
}

export interface MemoryStore {
  readonly store: EventStore;
  readonly ledger: Ledger;
  readonly artifacts: Artifacts;
  /** Everything acknowledged so far, in order. */
  readonly events: () => readonly LockstepEvent[];
  /** After so many further appends every append answers `unavailable`, as if the daemon had died there. */
  readonly stopAfter: (appends: number) => void;
}

/** Event store, ledger and artifacts in memory, with the whole contract of the port.
 * `append` throws a TypeError on an event that misses its schema: the test that made it is wrong. */
export const memoryStore = (options: MemoryStoreOptions): MemoryStore => {
  const log = openLog(options);
  const store = storeOver(log);
  const artifacts = artifactsOver({
    store,
    ids: options.ids ?? sequentialIds('a'),
    digest: digestOfText,
    daemon: options.daemon,
    build: 'test',
    cacheChars: 0,
  });
  return {
    store,
    ledger: ledgerOf(log.ledger),
    artifacts,
    events: () => [...log.events],
    stopAfter: (appends) => {
      log.appendsLeft = appends;
    },
  };
};

type Log = ReturnType<typeof openLog>;

const openLog = ({ clock, log = [] }: MemoryStoreOptions) => {
  const opened = {
    clock,
    events: [] as LockstepEvent[],
    streams: new Map<string, LockstepEvent[]>(),
    byId: new Map<string, LockstepEvent>(),
    /** Last number and epoch of each agent. */
    agents: new Map<string, { seq: number; epoch: number }>(),
    ledger: emptyLedger(),
    wakes: new Set<() => void>(),
    closed: false,
    appendsLeft: Infinity,
  };
  for (const event of log) insert(opened, event);
  return opened;
};

const insert = (log: Log, event: LockstepEvent): void => {
  log.events.push(event);
  log.byId.set(event.id, event);
  const stream = log.streams.get(event.stream);
  if (stream === undefined) log.streams.set(event.stream, [event]);
  else stream.push(event);
  const { agent, agentSeq, epoch } = event.meta;
  if (agent !== null && agentSeq !== null) log.agents.set(agent, { seq: agentSeq, epoch });
  foldLedger(log.ledger, event);
};

const storeOver = (log: Log): EventStore => {
  const head = (): Position | 'start' => log.events.at(-1)?.position ?? 'start';
  return {
    append: async (stream, events, expected) => {
      // Acknowledged later than asked, as by a real writer: callers cannot rest on a synchronous append.
      await Promise.resolve();
      const result = append(log, { stream, events, expected });
      if (result.ok && !result.repeat) for (const wake of [...log.wakes]) wake();
      return result;
    },
    readStream: (stream, { from = 0, limit = Infinity } = {}) =>
      Promise.resolve((log.streams.get(stream) ?? []).slice(from, from + limit)),
    readAll: (read) => Promise.resolve(readAll(log, read)),
    subscribe: ({ after, filter }) =>
      subscription({
        after,
        page: (from) =>
          readAll(log, { after: from, limit: 256, ...(filter === undefined ? {} : { filter }) }),
        hasMore: (from) => numberOf(head()) > numberOf(from),
        onWake: (wake) => {
          log.wakes.add(wake);
          return () => log.wakes.delete(wake);
        },
        closed: () => log.closed,
      }),
    head: () => Promise.resolve(head()),
    generation: 'memory',
    close: () => {
      log.closed = true;
      for (const wake of [...log.wakes]) wake();
      return Promise.resolve();
    },
  };
};

interface Append {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  readonly expected: ExpectedRevision;
}

const append = (log: Log, { stream, events, expected }: Append): AppendResult => {
  if (log.closed || log.appendsLeft <= 0)
    return { ok: false, reason: 'unavailable', message: 'the event log is closed' };
  const oversize = tooLarge(events);
  if (oversize !== null) return oversize;
  const present = log.streams.get(stream) ?? [];
  const actual = present.length === 0 ? 'no-stream' : present.length - 1;
  const known = events.map((event) => log.byId.get(event.id));
  const firstKnown = known[0];
  if (firstKnown !== undefined && isSameBatch(known, stream)) return acknowledge(known, true);
  if (expected !== actual || known.some((event) => event !== undefined) || hasTwins(events))
    return { ok: false, reason: 'conflict', expected, actual };
  const stamped = stamp(log, { stream, events, firstRevision: present.length });
  for (const event of stamped) insert(log, event);
  log.appendsLeft -= 1;
  return acknowledge(stamped, false);
};

interface Batch {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  readonly firstRevision: number;
}

const stamp = (log: Log, { stream, events, firstRevision }: Batch): readonly LockstepEvent[] => {
  const time = Math.max(log.events.at(-1)?.time ?? 0, log.clock.now());
  const agents = new Map(log.agents);
  return events.map((event, i) => {
    const place = { position: log.events.length + 1 + i, revision: firstRevision + i, time };
    const { agent } = event.meta;
    if (agent === null)
      return strict(stampedEvent(event, stream, { ...place, agentSeq: null, epoch: 0 }));
    const last = agents.get(agent) ?? { seq: 0, epoch: 0 };
    const raised = event.type === 'OwnershipTaken' ? event.data.epoch : 0;
    const next = { seq: last.seq + 1, epoch: Math.max(last.epoch, raised) };
    agents.set(agent, next);
    return strict(stampedEvent(event, stream, { ...place, agentSeq: next.seq, epoch: next.epoch }));
  });
};

const isSameBatch = (
  known: readonly (LockstepEvent | undefined)[],
  stream: string,
): known is readonly LockstepEvent[] =>
  known.every(
    (event, i) => event?.stream === stream && event.revision === (known[0]?.revision ?? 0) + i,
  );

const hasTwins = (events: readonly NewEvent[]): boolean =>
  new Set(events.map((event) => event.id)).size < events.length;

const acknowledge = (events: readonly LockstepEvent[], repeat: boolean): AppendResult => {
  const last = events.at(-1);
  if (last === undefined) throw new TypeError('an append holds at least one event');
  return { ok: true, revision: last.revision, position: last.position, repeat, events };
};

const tooLarge = (events: readonly NewEvent[]): AppendResult | null => {
  let total = 0;
  for (const event of events) {
    const bytes = utf8Bytes(JSON.stringify(event));
    if (bytes > eventLimitBytes)
      return { ok: false, reason: 'too_large', bytes, limit: eventLimitBytes };
    total += bytes;
  }
  if (total <= appendLimitBytes) return null;
  return { ok: false, reason: 'too_large', bytes: total, limit: appendLimitBytes };
};

const strict = (event: LockstepEvent): LockstepEvent => {
  const read = parseEvent(event);
  if (read.ok) return frozen(read.event);
  const problems = read.problems.map((p) => `${p.where}: ${p.message}`).join('; ');
  throw new TypeError(`\`${event.type}\` is no event: ${problems}`);
};

const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
};

const readAll = (log: Log, { after, limit, filter }: ReadAllOptions): ReadAllResult => {
  const found: LockstepEvent[] = [];
  // Positions are counted from 1 without a gap here, so that a position is an index.
  let at = numberOf(after);
  while (at < log.events.length && found.length < limit) {
    const event = log.events[at];
    if (event !== undefined && matchesFilter(filter, event)) found.push(event);
    at += 1;
  }
  const next = at === 0 ? 'start' : positionOf(at);
  return { events: found, next, end: at >= log.events.length };
};
