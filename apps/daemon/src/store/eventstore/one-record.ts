import {
  BACKWARDS,
  END,
  START,
  StreamNotFoundError,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { retried } from './retried.ts';
import type { Timings } from './timings.ts';

/** What calls to the cluster need. */
export interface Calls {
  readonly client: EventStoreDBClient;
  readonly where: string;
  readonly timings: Timings;
}

/** A record as far as its reader asks. */
export interface OneRecord {
  readonly id: string;
  readonly revision: bigint;
  readonly data: unknown;
}

/** The first or the last record of a stream; null = there is no such stream.
 * @throws StoreError when the cluster does not answer */
export const oneRecord = (
  parts: Calls,
  stream: string,
  which: 'first' | 'last',
): Promise<OneRecord | null> =>
  retried(parts, async (watch) => {
    const reading = parts.client.readStream(stream, {
      ...(which === 'last' ? { fromRevision: END, direction: BACKWARDS } : { fromRevision: START }),
      maxCount: 1,
      requiresLeader: true,
    });
    reading.on('error', () => undefined);
    watch.onSilence(() => {
      reading.destroy();
    });
    try {
      for await (const { event } of reading) return event ?? null;
    } catch (error) {
      if (!(error instanceof StreamNotFoundError)) throw error;
    }
    return null;
  });
