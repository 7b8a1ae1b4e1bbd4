import type {
  AppliedNarrowing,
  Origin,
  PolicySnapshot,
  ProvenanceEntry,
  SettingKey,
} from '@lockstep/policy';
import type { Position } from '../events/envelope.ts';
import type { EventType } from '../events/event.ts';
import type { RuleId } from '../events/parts.ts';
import type { TurnRow } from './turn-list.view.ts';

export type StepTone = 'neutral' | 'good' | 'refused' | 'waiting' | 'bad';

/** One line of a turn's timeline. */
export interface TimelineStep {
  readonly event: string;
  readonly type: EventType;
  readonly position: Position;
  readonly at: number;
  readonly tone: StepTone;
  /** One line for a person. */
  readonly title: string;
  readonly detail: string | null;
  readonly call: string | null;
  readonly tool: string | null;
  readonly rule: RuleId | null;
  readonly pattern: string | null;
  readonly approval: string | null;
}

/** A turn that this one started. */
export interface ChildOfTurn {
  /** The event that links it. */
  readonly event: string;
  readonly call: string;
  readonly turn: string;
  readonly agent: string;
  /** The call did not wait for it. */
  readonly background: boolean;
}

/** One turn, folded from its stream. */
export interface TurnDetail {
  readonly row: TurnRow;
  readonly policy: {
    readonly digest: string;
    readonly config: { readonly version: number; readonly digest: string };
    /** Null while the snapshot is an artifact that was not handed in. */
    readonly snapshot: PolicySnapshot | null;
    readonly provenance: readonly ProvenanceEntry[];
    readonly narrowings: readonly AppliedNarrowing[];
    /** Keys narrowed while the turn ran. */
    readonly narrowedSince: readonly SettingKey[];
  } | null;
  readonly steps: readonly TimelineStep[];
  readonly pendingApprovals: readonly string[];
  /** Where the request came from: a job, a run of a procedure, a connection, another turn; null before it was taken. */
  readonly origin: Origin | null;
  /** Turns above it, from the root to its parent. */
  readonly chain: readonly string[];
  /** In the order in which they were linked. */
  readonly children: readonly ChildOfTurn[];
}
