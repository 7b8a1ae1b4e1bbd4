import { parseEvent, positionOf, type LockstepEvent, type Meta } from '@lockstep/engine';
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
  let record: Record;
  const meta = hasStamps(row) ? metas.get(row.meta) : undefined;
  const data = policies.get(row.data);
  const known = { meta: meta !== undefined, data: data?.type === row.type };
  try {
    record = recordOf(row, {
      meta: meta ?? (JSON.parse(row.meta) as object),
      data: data?.type === row.type ? data.data : (JSON.parse(row.data) as unknown),
    });
  } catch (error) {
    return { ok: false, why: `not JSON: ${error instanceof Error ? error.message : ''}` };
  }
  const read = parseEvent(record, known);
  if (!read.ok)
    return { ok: false, why: read.problems.map((p) => `${p.where}: ${p.message}`).join('; ') };
  remember(row, read.event);
  return read;
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

/** Meta and policies are the same text in many rows (all of a turn, all turns of an agent): what was held to its schema once is not
 * parsed again, and equal policies are one object (12 against 55 us an event over whole turns). */
const metas = new Map<string, Meta>();
const policies = new Map<string, LockstepEvent>();
const kept = { metas: 512, policies: 32 };

const remember = (row: EventRow, event: LockstepEvent): void => {
  keep(metas, row.meta, event.meta, kept.metas);
  if (event.type === 'PolicyResolved') keep(policies, row.data, event, kept.policies);
};

const keep = <T>(map: Map<string, T>, text: string, value: T, limit: number): void => {
  if (map.has(text)) return;
  if (map.size >= limit) map.clear();
  map.set(text, value);
};

/** The two fields of meta that stand in columns of their own are as the schema wants them. */
const hasStamps = ({ epoch, agent_seq: seq }: EventRow): boolean =>
  epoch >= 0 && (seq === null || seq >= 1);

type Record = ReturnType<typeof recordOf>;

const recordOf = (
  row: EventRow,
  { meta, data }: { readonly meta: object; readonly data: unknown },
) => ({
  id: row.id,
  stream: row.stream,
  revision: row.revision,
  position: positionOf(row.position),
  type: row.type,
  schema: row.schema,
  time: row.time,
  data,
  meta: { ...meta, epoch: row.epoch, agentSeq: row.agent_seq },
});
