import type { EventType, TurnFact } from '../events/event.ts';

/** Which event of a history is meant. */
export interface EventRef {
  /** 0-based in its stream. */
  readonly revision: number;
  readonly id: string;
  readonly type: EventType;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly position: string;
}

/** One field that differs. Values are canonical JSON; null = the field is not there. */
export interface FieldDifference {
  /** As in `facts.caps[0].used`; empty for the whole. */
  readonly path: string;
  readonly recorded: string | null;
  readonly replayed: string | null;
}

/** What is wrong with a history, and where. */
export interface HistoryProblem {
  /** Stream and revision, as in `turn-1@3`, or a line of a file. */
  readonly where: string;
  readonly message: string;
}

/** What became of one replay. `notes`: what of the history was taken as it stands and not made again; absent when nothing was. */
export type ReplayReport = { readonly notes?: readonly string[] } & ReplayOutcome;

type ReplayOutcome =
  | {
      readonly outcome: 'same';
      readonly turn: string;
      /** Events that were made again. */
      readonly events: number;
      /** False = the turn has not ended; it is the same so far. */
      readonly ended: boolean;
    }
  | {
      readonly outcome: 'diverged';
      readonly turn: string;
      /** Events that were the same before. */
      readonly events: number;
      /** The first recorded event that differs; null = the replay records more than the history holds. */
      readonly at: EventRef | null;
      readonly recorded: TurnFact | null;
      /** Null = nothing follows where the history has an event. */
      readonly replayed: TurnFact | null;
      readonly fields: readonly FieldDifference[];
      readonly why: string;
    }
  | {
      readonly outcome: 'stopped';
      readonly turn: string;
      readonly events: number;
      readonly at: EventRef | null;
      /** What the recording does not hold. */
      readonly missing: string;
    }
  | {
      readonly outcome: 'refused';
      readonly turn: string;
      readonly problems: readonly HistoryProblem[];
    };
