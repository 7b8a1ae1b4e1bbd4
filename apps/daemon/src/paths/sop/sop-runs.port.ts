import type { EndedSop, SopState } from '@lockstep/engine';
import type { Origin, Principal } from '@lockstep/policy';

/** How a run is started. The starter says where it comes from; what that takes away holds for every step. */
export interface SopStart {
  readonly sop: string;
  readonly input: string;
  /** Fixed by the starter, so that a repeat is the same run; null = a new one. */
  readonly run: string | null;
  readonly by: Principal;
  readonly from:
    | { readonly kind: 'manual'; readonly origin: Origin }
    /** A due time of a job of config. */
    | { readonly kind: 'cron'; readonly job: string; readonly agent: string }
    /** A message on a channel; `agent` is the binding's owner. */
    | { readonly kind: 'channel'; readonly binding: string; readonly agent: string }
    /** A call of `sop_start`. */
    | {
        readonly kind: 'tool';
        readonly agent: string;
        readonly parent: { readonly turn: string; readonly call: string };
      };
}

export type SopStarted =
  | {
      readonly kind: 'started';
      readonly run: string;
      /** It was started before; nothing new began. */
      readonly repeat: boolean;
    }
  | {
      readonly kind: 'refused';
      readonly code: 'not_found' | 'not_permitted' | 'stopped' | 'disk_full' | 'other_run';
      readonly message: string;
    };

/** Runs of procedures. */
export interface SopRuns {
  start(request: SopStart): Promise<SopStarted>;
  /** The run as it stands; null = there is none. */
  state(run: string): Promise<SopState | null>;
  /** Resolves when the run has ended, or with null when the signal aborts or there is no such run. */
  ended(run: string, signal: AbortSignal): Promise<EndedSop | null>;
  /** Ends a run, its running step and whatever that started. Resolves once the end is recorded. */
  cancel(run: string, by: string, why: string): Promise<'cancelled' | 'ended' | 'not_found'>;
}

export const SOP_RUNS = Symbol('SOP_RUNS');
