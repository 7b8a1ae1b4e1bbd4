import type { EventType, LockstepEvent } from '../events/event.ts';

/** A fold over the whole log with one small state (the parity matrix). `fold` may change and return the state it was given:
 * it owns it. It never throws on a recorded event. */
export interface Projection<S> {
  readonly name: string;
  /** Raise it when the meaning changes: the read model is then rebuilt. */
  readonly version: number;
  readonly types: readonly EventType[] | 'all';
  initial(): S;
  fold(state: S, event: LockstepEvent): S;
  /** Plain JSON for the checkpoint, and back. */
  freeze(state: S): unknown;
  thaw(json: unknown): S;
}

/** A fold into many rows, one by key (a turn, an approval): only the rows touched are read and written. */
export interface KeyedProjection<Row> {
  readonly name: string;
  readonly version: number;
  readonly types: readonly EventType[] | 'all';
  /** The row that an event belongs to, or null. */
  keyOf(event: LockstepEvent): string | null;
  /** Null deletes the row. */
  fold(row: Row | null, event: LockstepEvent): Row | null;
  /** Columns to filter and sort by: few, and the same for all rows. */
  columns(row: Row): Readonly<Record<string, string | number | null>>;
}
