import {
  appendLimitBytes,
  eventLimitBytes,
  type AppendResult,
  type ExpectedRevision,
  type NewEvent,
  type NewMeta,
} from '@lockstep/engine';
import type { WireAppend, WireEvent } from './wire.ts';

export interface Append {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  readonly expected: ExpectedRevision;
}

/** Text form of an append with its size in bytes, or why it is too large. */
export const wireAppend = (
  { stream, events, expected }: Append,
  now: number,
):
  | { readonly ok: true; readonly append: WireAppend; readonly bytes: number }
  | { readonly ok: false; readonly result: AppendResult } => {
  let total = 0;
  const wire: WireEvent[] = [];
  for (const event of events) {
    const one = wireEvent(event);
    const bytes = jsonBytes(one);
    if (bytes > eventLimitBytes) return tooLarge(bytes, eventLimitBytes);
    total += bytes;
    wire.push(one);
  }
  if (total > appendLimitBytes) return tooLarge(total, appendLimitBytes);
  const revision = expected === 'no-stream' ? -1 : expected;
  return { ok: true, append: { stream, expected: revision, now, events: wire }, bytes: total };
};

/** A revision as the port says it. */
export const revisionOf = (wire: number): ExpectedRevision => (wire < 0 ? 'no-stream' : wire);

const wireEvent = (event: NewEvent): WireEvent => ({
  id: event.id,
  type: event.type,
  schema: event.schema,
  agent: event.meta.agent,
  raisesTo: event.type === 'OwnershipTaken' ? event.data.epoch : 0,
  data: JSON.stringify(event.data),
  meta: metaText(event.meta),
});

const metaTexts = new WeakMap<NewMeta, string>();

/** Events of one turn share their meta, which is half of what is written: its text is made once (1.6 against 3.8 us an event). */
const metaText = (meta: NewMeta): string => {
  const known = metaTexts.get(meta);
  if (known !== undefined) return known;
  const text = JSON.stringify(meta);
  metaTexts.set(meta, text);
  return text;
};

/** Bytes of the event's JSON, as if it were written whole. */
const jsonBytes = ({ id, type, schema, data, meta }: WireEvent): number =>
  '{"id":"","type":"","schema":,"data":,"meta":}'.length +
  id.length +
  type.length +
  String(schema).length +
  Buffer.byteLength(data) +
  Buffer.byteLength(meta);

const tooLarge = (bytes: number, limit: number) => ({
  ok: false as const,
  result: { ok: false as const, reason: 'too_large' as const, bytes, limit },
});
