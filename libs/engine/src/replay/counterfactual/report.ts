import type { PathName, SettingKey, Trigger } from '@lockstep/policy';
import type { TurnFact } from '../../events/event.ts';
import type { EventRef, FieldDifference, HistoryProblem } from '../report.ts';

/** A verdict of the gate on one call, as recorded or as it would be. */
export interface VerdictSeen {
  readonly verdict: 'allow' | 'ask' | 'refuse';
  /** As in the event: `gate.denied_tool`. */
  readonly rule: string;
  /** Config key that the rule read; null = none. */
  readonly key: SettingKey | null;
  readonly why: string;
}

/** What another policy or path makes of a recorded verdict. Beyond the horizon nothing is judged, and nothing is counted. */
export type VerdictChange =
  'unchanged' | 'newly_refused' | 'newly_asked' | 'newly_allowed' | 'beyond_horizon';

/** One recorded call, judged as it was and as it would be. */
export interface VerdictComparison {
  readonly call: string;
  /** Id of the tool, as in `builtin:file_write`. */
  readonly tool: string;
  /** The recorded verdict's event. */
  readonly at: EventRef;
  readonly recorded: VerdictSeen;
  /** Null beyond the horizon. */
  readonly now: VerdictSeen | null;
  readonly change: VerdictChange;
  /** Who answered the recorded question; null = nobody was asked or has answered. */
  readonly decidedBy: string | null;
  /** Milliseconds from question to answer; null as above. */
  readonly waitedMs: number | null;
}

/** One place of the two timelines. */
export interface ComparedStep {
  readonly recorded: { readonly at: EventRef; readonly fact: TurnFact } | null;
  /** Null = nothing stands there, or it lies beyond the horizon. */
  readonly now: TurnFact | null;
  readonly state: 'same' | 'differs' | 'beyond_horizon';
  /** Empty unless both stand there and differ. */
  readonly fields: readonly FieldDifference[];
}

/** Which turn is asked about, and what is put in the place of what was recorded. */
export interface CounterfactualStart {
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly config: { readonly version: number | null; readonly digest: string };
}

/** One policy value that would be another. Values are canonical JSON. */
export interface PolicyDifference {
  readonly key: SettingKey;
  readonly recorded: string;
  readonly now: string;
}

/** What would have become of a recorded turn on another path or under another policy. The recorded replies and results feed it as long
 * as what the model was told is what it was told then. */
export type CounterfactualReport =
  | {
      readonly outcome: 'compared';
      readonly turn: string;
      readonly agent: string;
      readonly recorded: CounterfactualStart;
      readonly now: CounterfactualStart;
      readonly policy: readonly PolicyDifference[];
      readonly verdicts: readonly VerdictComparison[];
      readonly steps: readonly ComparedStep[];
      /** From this recorded event on the model would have been told something else; null = the turn would have gone as it went. */
      readonly horizon: EventRef | null;
      /** What was taken as recorded though it might have been otherwise. */
      readonly notes: readonly string[];
    }
  /** The turn would not have begun at all. */
  | {
      readonly outcome: 'not_reachable';
      readonly turn: string;
      readonly now: CounterfactualStart;
      readonly why: string;
    }
  | {
      readonly outcome: 'stopped';
      readonly turn: string;
      readonly at: EventRef | null;
      readonly missing: string;
    }
  | {
      readonly outcome: 'refused';
      readonly turn: string;
      readonly problems: readonly HistoryProblem[];
    };
