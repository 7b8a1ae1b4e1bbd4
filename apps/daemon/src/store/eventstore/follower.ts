import { setTimeout as delay } from 'node:timers/promises';
import { START, streamNameFilter, type EventStoreDBClient } from '@eventstore/db-client';
import { StoreError } from '../store-error.ts';
import { failureOf } from './failures.ts';
import { onceRead } from './once-read.ts';
import { pauseBefore, type Timings } from './timings.ts';
import type { ClusterLog } from './cluster-log.ts';

export interface FollowerParts {
  readonly client: EventStoreDBClient;
  readonly log: ClusterLog;
  readonly prefix: string;
  readonly timings: Timings;
  /** Told when it cannot go on at all. */
  readonly failed: (error: unknown) => void;
}

/** Events that are looked at between two checkpoints. */
const searchWindow = 512;
/** So many times as long is waited, at most, for a subscription that was given up before for its silence. */
const mostPatience = 64;

/** The one subscription to `$all` of this daemon, begun again whenever it ends. */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #stopping = new AbortController();
  #restarting = new AbortController();
  #heard = performance.now();
  #patience = 1;
  #arrived: () => void = () => undefined;
  #broken: (error: unknown) => void = () => undefined;
  readonly #running: Promise<void>;
  /** Resolves when the log has been seen up to its end for the first time; rejects with what ended the following before that. */
  readonly caughtUp: Promise<void>;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.caughtUp = new Promise((resolve, reject) => {
      this.#arrived = resolve;
      this.#broken = reject;
    });
    this.caughtUp.catch(() => undefined);
    this.#running = this.#run();
  }

  /** Something that was acknowledged does not show. Gives the running subscription up for a new one if that has been silent for too
   * long, and is more patient with the next: a slow one must get to its events. */
  suspect(): void {
    const silence = performance.now() - this.#heard;
    if (silence < this.#parts.timings.show * this.#patience) return;
    this.#patience = Math.min(mostPatience, this.#patience * 2);
    this.#restarting.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        if (await this.#once()) attempt = -1;
      } catch (error) {
        if (error instanceof StoreError || failureOf(error).kind === 'never') {
          this.#broken(error);
          this.#parts.failed(error);
          return;
        }
      }
      if (!this.#restarting.signal.aborted)
        await delay(pauseBefore(attempt, this.#parts.timings), undefined, { signal }).catch(
          () => undefined,
        );
    }
  }

  /** Follows one subscription to its end. Answers whether it brought anything. */
  async #once(): Promise<boolean> {
    const { client, log, prefix } = this.#parts;
    this.#restarting = new AbortController();
    this.#heard = performance.now();
    const subscription = client.subscribeToAll({
      fromPosition: log.last ?? START,
      requiresLeader: true,
      filter: streamNameFilter({ prefixes: [prefix], maxSearchWindow: searchWindow }),
    });
    let took = false;
    const end = (): void => {
      void subscription.unsubscribe().catch(() => undefined);
      subscription.destroy();
    };
    const signal = AbortSignal.any([this.#stopping.signal, this.#restarting.signal]);
    signal.addEventListener('abort', end, { once: true });
    subscription.on('error', () => undefined);
    onceRead(subscription, () => {
      log.live = true;
      this.#arrived();
    });
    try {
      for await (const { event } of subscription) {
        if (signal.aborted) break;
        if (event === undefined) continue;
        log.take(event);
        took = true;
        this.#heard = performance.now();
        this.#patience = 1;
      }
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
    return took;
  }
}
