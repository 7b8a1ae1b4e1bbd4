import type { EventType, LockstepEvent, NewEvent } from '../events/event.ts';
import type { Position } from '../events/envelope.ts';

/** The revision that the stream must be at, or that it must not exist. There is no "any". */
export type ExpectedRevision = number | 'no-stream';

export type AppendResult =
  | {
      readonly ok: true;
      /** Revision of the last event of the batch. */
      readonly revision: number;
      readonly position: Position;
      /** The batch was already there; nothing was written. */
      readonly repeat: boolean;
      readonly events: readonly LockstepEvent[];
    }
  | {
      readonly ok: false;
      readonly reason: 'conflict';
      readonly expected: ExpectedRevision;
      readonly actual: ExpectedRevision;
    }
  | {
      readonly ok: false;
      readonly reason: 'too_large';
      readonly bytes: number;
      readonly limit: number;
    }
  | {
      readonly ok: false;
      /** The log may not be written now: disk full, read-only, store closed. */
      readonly reason: 'unavailable';
      readonly message: string;
    };

/** Which events a reader wants. Absent = all. Conditions are joined by *and*. */
export interface EventFilter {
  readonly types?: readonly EventType[];
  readonly streams?: readonly string[];
  readonly streamPrefix?: string;
  readonly agent?: string;
}

export interface ReadAllOptions {
  readonly after: Position | 'start';
  readonly limit: number;
  readonly filter?: EventFilter;
}

export interface ReadAllResult {
  readonly events: readonly LockstepEvent[];
  /** Resume from here: the last position looked at, matching or not. */
  readonly next: Position | 'start';
  /** Nothing more was committed at the time of reading. */
  readonly end: boolean;
}

export type SubscriptionMessage =
  | { readonly kind: 'event'; readonly event: LockstepEvent }
  | { readonly kind: 'caught-up'; readonly position: Position | 'start' };

/** An endless, ordered iteration: history after a position, one caught-up mark, then live. `return()` ends it. */
export type Subscription = AsyncIterableIterator<SubscriptionMessage>;

/** The event store. Nothing is visible to readers or subscribers before it is acknowledged. Positions strictly increase in the
 * order of acknowledgement; nothing smaller appears later. A repeat of the same batch (same ids, same stream) returns the first
 * result before the revision check; a partly known batch is a conflict. */
export interface EventStore {
  append(
    stream: string,
    events: readonly [NewEvent, ...NewEvent[]],
    expected: ExpectedRevision,
  ): Promise<AppendResult>;
  readStream(
    stream: string,
    options?: { readonly from?: number; readonly limit?: number },
  ): Promise<readonly LockstepEvent[]>;
  readAll(options: ReadAllOptions): Promise<ReadAllResult>;
  subscribe(options: {
    readonly after: Position | 'start';
    readonly filter?: EventFilter;
  }): Subscription;
  /** Position of the last acknowledged event. */
  head(): Promise<Position | 'start'>;
  /** Identity of this log; another one means another log (restored, copied, replaced). */
  readonly generation: string;
  close(): Promise<void>;
}
