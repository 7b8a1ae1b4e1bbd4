import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { jsonEvent, NO_STREAM } from '@eventstore/db-client';
import type { Clock, EventStore, Ledger } from '@lockstep/engine';
import { StoreError, storeError } from '../store-error.ts';
import { indexPath } from './index-path.ts';
import { lockFolder } from '../sqlite/folder-lock.ts';
import { ClusterLog } from './cluster-log.ts';
import type { Connection } from './connection-text.ts';
import { connect, disconnect } from './connection.ts';
import { clusterEventStore } from './eventstore-event-store.ts';
import { failureOf, NoAnswerError } from './failures.ts';
import { Follower } from './follower.ts';
import { oneRecord, type Calls } from './one-record.ts';
import { claimLog } from './ownership.ts';
import { PlaceIndex } from './place-index.ts';
import { retried, unavailable } from './retried.ts';
import { defaultTimings, within, type Timings } from './timings.ts';

/** The log of a cluster, opened by its one daemon. */
export interface EventStoreLog {
  readonly store: EventStore;
  readonly ledger: Ledger;
}

export interface EventStoreLogOptions {
  /** Holds the local index of the log, which may be deleted. */
  readonly folder: string;
  readonly connection: Connection;
  readonly clock: Clock;
  /** Tells logs of one cluster apart; their streams begin with it. */
  readonly name?: string;
  readonly timings?: Partial<Timings>;
}

/** Locks the data folder, claims the log, and folds the ledger up to the end of `$all`. `store.close()` gives all back.
 * @throws StoreError when folder or log are in use, the cluster does not answer, or the log holds what is no event */
export const openEventStoreLog = async (options: EventStoreLogOptions): Promise<EventStoreLog> => {
  const { folder, clock } = options;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw storeError(error, folder);
  }
  const undo: (() => unknown)[] = [];
  const back = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const lock = lockFolder(folder, clock.now());
    undo.push(() => {
      lock.release();
    });
    return await openLocked(options, undo, back);
  } catch (error) {
    await back();
    throw storeError(error, indexPath(folder));
  }
};

const openLocked = async (
  options: EventStoreLogOptions,
  undo: (() => unknown)[],
  release: () => Promise<void>,
): Promise<EventStoreLog> => {
  const { folder, connection, clock, name = 'lockstep' } = options;
  const { where } = connection;
  const timings: Timings = { ...defaultTimings, ...options.timings };
  const prefix = `${name}.`;
  const client = connect(connection);
  undo.push(() => within(disconnect(client), timings.call).catch(() => undefined));
  const generation = await generationOf({ client, stream: `${name}:log`, where, timings });
  const index = new PlaceIndex(indexPath(folder), generation);
  undo.push(() => {
    index.close();
  });
  const holder = index.holder(randomUUID);
  const ownership = await claimLog({ client, stream: `${name}:owner`, where, holder, timings });
  undo.push(() => ownership.release());
  if (!(await stillThere({ client, where, timings }, index))) index.reset(generation);
  const log = new ClusterLog(index, prefix);
  undo.push(() => {
    log.checkpoint();
  });
  let failure: string | null = null;
  const follower = new Follower({
    client,
    log,
    prefix,
    timings,
    failed: (error) => {
      failure = messageOf(error, where);
    },
  });
  undo.push(() => follower.stop());
  await firstMark(follower.caughtUp, log, { where, timings });
  const base = { client, log, follower, prefix, where, timings, clock, generation, ownership };
  const store = clusterEventStore({ ...base, failure: () => failure, release });
  return { store, ledger: log.ledger };
};

/** Identity of the log: written by whoever opens it first, in a stream beside it. */
const generationOf = async (parts: Calls & { readonly stream: string }): Promise<string> => {
  const known = await recordedGeneration(parts);
  if (known !== null) return known;
  const generation = randomUUID();
  const event = jsonEvent({ type: 'LogCreated', data: { generation } });
  return retried(parts, async () => {
    try {
      const { call } = parts.timings;
      const written = await within(
        parts.client.appendToStream(parts.stream, event, {
          expectedRevision: NO_STREAM,
          requiresLeader: true,
          deadline: call,
        }),
        call * 2,
      );
      if (written === 'late') throw new NoAnswerError('no answer came in time');
      return generation;
    } catch (error) {
      if (failureOf(error).kind !== 'conflict') throw error;
      return (await recordedGeneration(parts)) ?? generation;
    }
  });
};

const recordedGeneration = async (
  parts: Calls & { readonly stream: string },
): Promise<string | null> => {
  const first = await oneRecord(parts, parts.stream, 'first');
  if (first === null) return null;
  const { data } = first;
  if (typeof data === 'object' && data !== null && 'generation' in data)
    return String(data.generation);
  throw new StoreError(
    'store_not_a_log',
    `stream \`${parts.stream}\` at \`${parts.where}\` is not of a log, use another cluster`,
  );
};

/** Whether the cluster still holds the newest event that the local index knows: a restored cluster may have lost it. */
const stillThere = (parts: Calls, index: PlaceIndex): Promise<boolean> => {
  const { last } = index;
  if (last === null) return Promise.resolve(true);
  return retried(parts, async (watch) => {
    const reading = parts.client.readAll({ fromPosition: last, maxCount: 1, requiresLeader: true });
    reading.on('error', () => undefined);
    watch.onSilence(() => {
      reading.destroy();
    });
    for await (const { event } of reading) return event?.id === last.id;
    return false;
  });
};

/** Waits for the end of the log, for as long as the reading goes on. */
const firstMark = async (
  caughtUp: Promise<void>,
  log: ClusterLog,
  { where, timings }: Pick<Calls, 'where' | 'timings'>,
): Promise<void> => {
  for (let before = -1; ;) {
    const arrived = await within(
      caughtUp.then(() => true),
      timings.total,
    );
    if (arrived === true) return;
    if (log.head === before) throw unavailable(where, 'it does not show the end of `$all`');
    before = log.head;
  }
};

const messageOf = (error: unknown, where: string): string => {
  if (error instanceof StoreError) return error.message;
  const failure = failureOf(error);
  return unavailable(where, failure.kind === 'conflict' ? 'it answers a conflict' : failure.why)
    .message;
};
