import { parseEvent, positionOf, type LockstepEvent } from '@lockstep/engine';
import { StoreError } from '../store-error.ts';

/** One row of the log. */
export interface EventRow {
  readonly position: number;
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly schema: number;
  readonly time: number;
  readonly agent: string | null;
  readonly agent_seq: number | null;
  readonly epoch: number;
  readonly data: string;
  readonly meta: string;
}

/** What is wrong with a row, or its event. The read edge: everything is parsed strictly. */
export const readRow = (
  row: EventRow,
): { readonly ok: true; readonly event: LockstepEvent } | { readonly ok: false; why: string } => {
  let record: unknown;
  try {
    record = recordOf(row);
  } catch (error) {
    return { ok: false, why: `not JSON: ${error instanceof Error ? error.message : ''}` };
  }
  const read = parseEvent(record);
  if (read.ok) return read;
  return { ok: false, why: read.problems.map((p) => `${p.where}: ${p.message}`).join('; ') };
};

/** The event of a row.
 * @throws StoreError `store_damaged` when the row is no event */
export const eventOfRow = (row: EventRow): LockstepEvent => {
  const read = readRow(row);
  if (read.ok) return read.event;
  throw new StoreError(
    'store_damaged',
    `the event at position ${row.position} cannot be read (${read.why}), run \`lockstep doctor --log\``,
  );
};

const recordOf = (row: EventRow): unknown => {
  const meta = JSON.parse(row.meta) as Record<string, unknown>;
  return {
    id: row.id,
    stream: row.stream,
    revision: row.revision,
    position: positionOf(row.position),
    type: row.type,
    schema: row.schema,
    time: row.time,
    data: JSON.parse(row.data) as unknown,
    meta: { ...meta, epoch: row.epoch, agentSeq: row.agent_seq },
  };
};
