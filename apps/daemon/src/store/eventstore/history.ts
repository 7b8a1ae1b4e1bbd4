import {
  eventTypeFilter,
  START,
  StreamNotFoundError,
  streamNameFilter,
  type EventStoreDBClient,
  type Filter,
} from '@eventstore/db-client';
import { matchesFilter, positionOf, type EventFilter, type LockstepEvent } from '@lockstep/engine';
import { onceRead } from './once-read.ts';
import { retried } from './retried.ts';
import { eventOf, metadataOf, type Recorded } from './wire-event.ts';
import type { ClusterLog } from './cluster-log.ts';
import type { Timings } from './timings.ts';

export interface HistoryParts {
  readonly client: EventStoreDBClient;
  readonly log: ClusterLog;
  readonly prefix: string;
  readonly where: string;
  readonly timings: Timings;
}

export interface Page {
  readonly after: number;
  /** Nothing behind this position is shown: it was not folded when the read began. */
  readonly upTo: number;
  readonly limit: number;
  readonly filter: EventFilter | undefined;
}

/** Events that the server looks at between two signs of life of a filtered read. */
const searchWindow = 512;

/** Reads a part of one stream.
 * @throws StoreError when the cluster does not answer, or the stream holds what is no event */
export const readOneStream = (
  parts: HistoryParts,
  stream: string,
  range: { readonly from: number; readonly limit: number },
): Promise<readonly LockstepEvent[]> => {
  const upTo = parts.log.head;
  if (range.limit === 0) return Promise.resolve([]);
  return retried(parts, async (watch) => {
    const events: LockstepEvent[] = [];
    const reading = parts.client.readStream(parts.prefix + stream, {
      fromRevision: BigInt(range.from),
      maxCount: range.limit,
      requiresLeader: true,
    });
    const end = (): void => {
      void reading.cancel().catch(() => undefined);
      reading.destroy();
    };
    reading.on('error', () => undefined);
    watch.onSilence(end);
    try {
      for await (const { event } of reading) {
        watch.heard();
        const read = event === undefined ? null : shown(parts, event, upTo);
        if (read === null) break;
        events.push(read);
      }
    } catch (error) {
      if (!(error instanceof StreamNotFoundError)) throw error;
    } finally {
      end();
    }
    return events;
  });
};

/** Reads a page of the whole log: a filtered subscription to `$all` from a place up to the caught-up mark.
 * @throws StoreError when the cluster does not answer, or the log holds what is no event */
export const readPage = (parts: HistoryParts, page: Page): Promise<readonly LockstepEvent[]> => {
  const { filter, limit, after, upTo } = page;
  if (filter?.types?.length === 0 || filter?.streams?.length === 0 || limit === 0 || after >= upTo)
    return Promise.resolve([]);
  return retried(parts, async (watch) => {
    const events: LockstepEvent[] = [];
    const subscription = parts.client.subscribeToAll({
      fromPosition: parts.log.at(after) ?? START,
      requiresLeader: true,
      filter: serverFilter(filter, parts.prefix, watch.heard),
    });
    let complete = false;
    const end = (): void => {
      void subscription.unsubscribe().catch(() => undefined);
      subscription.destroy();
    };
    subscription.on('error', () => undefined);
    watch.onSilence(end);
    onceRead(subscription, () => {
      complete = true;
      end();
    });
    try {
      for await (const { event } of subscription) {
        watch.heard();
        if (event?.streamId.startsWith(parts.prefix) !== true) continue;
        const read = shown(parts, event, upTo);
        if (read !== null && matchesFilter(filter, read)) events.push(read);
        complete = read === null || read.position === positionOf(upTo) || events.length >= limit;
        if (complete) break;
      }
      if (!complete) throw new Error('the read ended before its end');
    } catch (error) {
      // To end a subscription is told as an error.
      if (!complete) throw error;
    } finally {
      end();
    }
    return events;
  });
};

/** The event of a record with the numbers that were counted for it; null = it was not folded yet. */
const shown = (
  { log, prefix }: HistoryParts,
  record: Recorded,
  upTo: number,
): LockstepEvent | null => {
  const place = log.place(record.id);
  if (place === null || place.position > upTo) return null;
  return eventOf(record, record.streamId.slice(prefix.length), metadataOf(record), place);
};

/** As much of a filter as the server can judge. */
const serverFilter = (
  filter: EventFilter | undefined,
  prefix: string,
  checkpointReached: () => void,
): Filter => {
  const base = { maxSearchWindow: searchWindow, checkpointReached };
  if (filter?.streams !== undefined)
    return streamNameFilter({ ...base, regex: oneOf(filter.streams.map((name) => prefix + name)) });
  if (filter?.streamPrefix !== undefined)
    return streamNameFilter({ ...base, prefixes: [prefix + filter.streamPrefix] });
  if (filter?.types !== undefined) return eventTypeFilter({ ...base, regex: oneOf(filter.types) });
  return streamNameFilter({ ...base, prefixes: [prefix] });
};

const oneOf = (texts: readonly string[]): string =>
  `^(?:${texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`;
