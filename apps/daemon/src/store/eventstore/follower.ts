import { setTimeout as delay } from 'node:timers/promises';
import { START, streamNameFilter, type EventStoreDBClient } from '@eventstore/db-client';
import { StoreError } from '../store-error.ts';
import { failureOf } from './failures.ts';
import { onceRead } from './once-read.ts';
import { pauseBefore, type Timings } from './timings.ts';
import type { ClusterLog } from './cluster-log.ts';

/** The one subscription to `$all` of this daemon, begun again whenever it ends. */
export interface Follower {
  /** Resolves when the log has been seen up to its end for the first time.
   * @throws what ended the following before that */
  readonly caughtUp: Promise<void>;
  /** Gives the running subscription up for a new one. */
  restart(): void;
  stop(): Promise<void>;
}

/** A checkpoint at every so many events that are not ours. */
const searchWindow = 512;

/** Follows the streams of one log in `$all`. `failed` is told when it cannot go on at all. */
export const follow = (parts: {
  readonly client: EventStoreDBClient;
  readonly log: ClusterLog;
  readonly prefix: string;
  readonly timings: Timings;
  readonly failed: (error: unknown) => void;
}): Follower => {
  const { client, log, prefix, timings, failed } = parts;
  const stopping = new AbortController();
  let restarting = new AbortController();
  let arrived: () => void = () => undefined;
  let broken: (error: unknown) => void = () => undefined;
  const caughtUp = new Promise<void>((resolve, reject) => {
    arrived = resolve;
    broken = reject;
  });
  caughtUp.catch(() => undefined);

  const once = async (): Promise<boolean> => {
    restarting = new AbortController();
    const { last } = log;
    const subscription = client.subscribeToAll({
      fromPosition: last ?? START,
      requiresLeader: true,
      filter: streamNameFilter({ prefixes: [prefix], maxSearchWindow: searchWindow }),
    });
    let took = false;
    const end = (): void => {
      void subscription.unsubscribe().catch(() => undefined);
      subscription.destroy();
    };
    const signal = AbortSignal.any([stopping.signal, restarting.signal]);
    signal.addEventListener('abort', end, { once: true });
    subscription.on('error', () => undefined);
    onceRead(subscription, () => {
      log.live = true;
      arrived();
    });
    try {
      for await (const { event } of subscription) {
        if (signal.aborted) break;
        if (event === undefined) continue;
        log.take(event);
        took = true;
      }
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
    return took;
  };

  const run = async (): Promise<void> => {
    for (let attempt = 0; !stopping.signal.aborted; attempt++) {
      try {
        if (await once()) attempt = -1;
      } catch (error) {
        if (error instanceof StoreError || failureOf(error).kind === 'never') {
          broken(error);
          failed(error);
          return;
        }
      }
      if (stopping.signal.aborted) return;
      if (!restarting.signal.aborted)
        await delay(pauseBefore(attempt, timings), undefined, { signal: stopping.signal }).catch(
          () => undefined,
        );
    }
  };
  const running = run();

  return {
    caughtUp,
    restart: () => {
      restarting.abort();
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};
