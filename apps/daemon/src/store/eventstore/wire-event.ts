import { jsonEvent, type AllStreamRecordedEvent, type EventData } from '@eventstore/db-client';
import {
  parseEvent,
  positionOf,
  type LockstepEvent,
  type NewEvent,
  type NewMeta,
} from '@lockstep/engine';
import { z } from 'zod';
import { StoreError } from '../store-error.ts';
import type { Stamp } from '../sqlite/stamps.ts';

/** What stands beside an event's data on the server. What depends on the order of the log is not written: it is counted off `$all`. */
const metadataSchema = z.strictObject({
  schema: z.int().min(1),
  /** Clock of the daemon that appended, in ms. */
  time: z.int().min(0),
  meta: z.record(z.string(), z.unknown()),
});

/** Record of a stream or of `$all`, as the client reads it. */
export type Recorded = Pick<
  AllStreamRecordedEvent,
  'id' | 'streamId' | 'revision' | 'type' | 'isJson'
> & { readonly data: unknown; readonly metadata?: unknown };

export interface ServerEvent {
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly metadata: { readonly schema: number; readonly time: number; readonly meta: NewMeta };
}

/** The form in which an event is sent. */
export const toServer = (event: NewEvent, time: number): EventData =>
  jsonEvent({
    id: event.id,
    type: event.type,
    data: event.data,
    metadata: { schema: event.schema, time, meta: event.meta },
  });

export interface ReadMetadata {
  readonly schema: number;
  readonly time: number;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** What the server keeps beside a record of ours.
 * @throws StoreError `store_damaged` when it is none */
export const metadataOf = (record: Recorded): ReadMetadata => {
  const read = metadataSchema.safeParse(record.metadata);
  if (read.success && record.isJson) return read.data;
  throw damaged(record, 'it was not written by a daemon');
};

/** The event of a record, held to its schema.
 * @throws StoreError `store_damaged` when the record is no event */
export const eventOf = (
  record: Recorded,
  stream: string,
  { schema, meta }: ReadMetadata,
  stamp: Stamp,
): LockstepEvent => {
  const read = parseEvent({
    id: record.id,
    stream,
    revision: stamp.revision,
    position: positionOf(stamp.position),
    type: record.type,
    schema,
    time: stamp.time,
    data: record.data,
    meta: { ...meta, epoch: stamp.epoch, agentSeq: stamp.agentSeq },
  });
  if (read.ok) return read.event;
  throw damaged(record, read.problems.map((p) => `${p.where}: ${p.message}`).join('; '));
};

const damaged = ({ streamId, revision }: Recorded, why: string): StoreError =>
  new StoreError(
    'store_damaged',
    `event ${revision} of stream \`${streamId}\` cannot be read (${why}), restore a backup of the cluster`,
  );
