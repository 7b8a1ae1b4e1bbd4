import type { Stamp, Stampable } from './stamps.ts';

/** An event on its way to the writer's thread: text, so that little is copied. */
export interface WireEvent extends Stampable {
  readonly id: string;
  readonly type: string;
  readonly schema: number;
  readonly data: string;
  readonly meta: string;
}

/** Appends or results as one list, see wire-pack. */
export type Packed = readonly (string | number | null)[];

export interface WireAppend {
  readonly stream: string;
  /** -1 = the stream must not exist. Inside the adapter only. */
  readonly expected: number;
  readonly now: number;
  readonly events: readonly WireEvent[];
}

export type WireResult =
  | { readonly kind: 'written'; readonly stamps: readonly Stamp[] }
  | { readonly kind: 'repeat'; readonly firstRevision: number }
  | { readonly kind: 'conflict'; readonly actual: number }
  | { readonly kind: 'unavailable'; readonly code: string };

export interface WireCheckpoint {
  readonly position: number;
  readonly version: number;
  /** Rows not named are gone. */
  readonly full: boolean;
  readonly rows: readonly {
    readonly table: string;
    readonly key: string;
    readonly json: string | null;
  }[];
}

export type WriterRequest =
  | { readonly kind: 'appends'; readonly appends: Packed }
  | { readonly kind: 'checkpoint'; readonly checkpoint: WireCheckpoint }
  | { readonly kind: 'close' };

/** One answer per request, in order; the first message says how opening went. */
export type WriterReply =
  | { readonly kind: 'opened'; readonly position: number; readonly generation: string }
  | {
      readonly kind: 'refused';
      readonly name: string;
      readonly code: string | null;
      readonly message: string;
    }
  | { readonly kind: 'appended'; readonly results: Packed }
  | { readonly kind: 'checkpointed'; readonly ok: boolean }
  | { readonly kind: 'closed' };
