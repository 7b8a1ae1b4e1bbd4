import type { Principal } from '@lockstep/policy';
import type { DataOf, EventOf, Fact } from '../events/event.ts';
import type { sopPayloads } from '../events/sop-events.ts';
import type { SopDefinition } from './definition.ts';

/** Facts of a run, with every text inline: whoever folds them has loaded the artifacts. */
export type SopFact = Extract<Fact, { type: keyof typeof sopPayloads }>;
/** An event of a run as the store gives it. */
export type SopEvent = EventOf<keyof typeof sopPayloads>;

/** The gate before the current step. */
export type SopGate =
  | { readonly status: 'none' }
  | {
      readonly status: 'open';
      readonly gate: string;
      readonly shown: string;
      readonly route: string;
      /** In ms since the epoch. */
      readonly deadline: number | 'never';
      readonly required: number;
      readonly notBy: string | null;
      readonly votes: readonly DataOf<'SopGateVoted'>['by'][];
    }
  | { readonly status: 'granted' };

/** A step whose turn was fixed and has no recorded end. */
export type RunningStep = DataOf<'SopStepStarted'>;

export interface OpenSop {
  readonly status: 'open';
  readonly run: string;
  readonly sop: string;
  readonly definition: SopDefinition;
  readonly input: string;
  readonly by: Principal;
  readonly parent: DataOf<'SopRunStarted'>['parent'];
  /** Replies of the steps that are done, in order. */
  readonly results: readonly { readonly step: string; readonly text: string }[];
  readonly gate: SopGate;
  readonly running: RunningStep | null;
  /** Tries of the current step that have ended, and what was wrong with the last. */
  readonly tried: { readonly attempts: number; readonly problem: string | null };
}

export interface EndedSop {
  readonly status: 'ended';
  readonly run: string;
  readonly outcome:
    | { readonly kind: 'completed'; readonly output: string }
    | {
        readonly kind: 'failed';
        readonly code: DataOf<'SopRunFailed'>['code'];
        readonly step: string | null;
        readonly message: string;
      };
}

/** Everything that follows from the stream `sop-<run>`. */
export type SopState =
  | { readonly status: 'none' }
  /** Its definition cannot be read: nothing of it runs. */
  | { readonly status: 'unreadable'; readonly run: string }
  | OpenSop
  | EndedSop;

/** A run that has not begun. */
export const initialSop: SopState = { status: 'none' };
