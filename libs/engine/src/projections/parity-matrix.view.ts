import type { EnforcedKey, PathName, SettingKey, SurfaceName, Trigger } from '@lockstep/policy';
import type { Position } from '../events/envelope.ts';

/** Worst first: the state of a path is the worst over its triggers and agents. */
export const cellStates = ['gap', 'unobserved', 'held', 'enforced', 'n/a'] as const;
export type CellState = (typeof cellStates)[number];
export type GapKind = 'wider' | 'narrower' | 'missing' | 'violated';

export interface TriggerCell {
  readonly state: CellState;
  readonly kind?: GapKind;
  readonly reason?: string;
  /** Config version since which the expected value stands. */
  readonly since: number | null;
  readonly turns: number;
  readonly lastSeen: number | null;
  /** Biting events, of turns that were asked for and of probes. */
  readonly bites: { readonly live: number; readonly probe: number };
  /** Of the turns, those of probes. */
  readonly probes: number;
}

/** A gap that is over: another build than those that showed it ran without it. */
export interface EndedGap {
  readonly kind: GapKind;
  readonly reason: string;
  /** When it was last seen, and when it ended, in ms since the epoch. */
  readonly seen: number;
  readonly ended: number;
  readonly build: string;
}

/** Events of an agent that are not in the log: its events are numbered without a gap. */
export interface MissingEvents {
  readonly agent: string;
  /** The numbers before and after what is missing. */
  readonly after: number;
  readonly next: number;
  /** Of the event after. */
  readonly position: Position;
  readonly time: number;
}

/** The parity figure as it stood. */
export interface TrendPoint {
  readonly position: Position;
  readonly time: number;
  readonly enforced: number;
  readonly of: number;
}

export interface ParityCell {
  readonly state: CellState;
  readonly kind?: GapKind;
  readonly reason?: string;
  readonly since: number | null;
  readonly triggers: Readonly<Partial<Record<Trigger, TriggerCell>>>;
}

export interface ParityRow {
  readonly setting: SettingKey;
  readonly surface: SurfaceName;
  readonly cells: Readonly<Record<PathName, ParityCell>>;
}

export interface ParityView {
  readonly position: Position | 'start';
  readonly figure: { readonly enforced: number; readonly of: number };
  readonly rows: readonly ParityRow[];
  /** The figure of the whole matrix over time, oldest first, at most 96 points; empty where agents or a version are chosen. */
  readonly trend: readonly TrendPoint[];
  /** Places where events of an agent are missing, oldest first, at most 50. A defect of the log, not of a setting. */
  readonly missing: readonly MissingEvents[];
  /** The agents that the matrix is of, and the config versions that it can be asked about. */
  readonly agents: readonly string[];
  readonly configVersions: readonly number[];
}

/** One opened cell: what was expected, what was seen, and the events that say so. */
export interface ParityCellDetail {
  readonly setting: SettingKey;
  readonly path: PathName;
  readonly explain: string;
  readonly cell: ParityCell;
  readonly evidence: readonly {
    readonly agent: string;
    readonly trigger: Trigger;
    readonly state: CellState;
    readonly kind?: GapKind;
    readonly reason?: string;
    /** Canonical JSON of the values. */
    readonly expected: string;
    readonly seen: string | null;
    readonly turns: number;
    readonly bites: number;
    readonly live: { readonly turns: number; readonly bites: number };
    readonly probe: { readonly turns: number; readonly bites: number };
    /** The last gap that came to an end. */
    readonly ended: EndedGap | null;
    readonly firstSeen: number | null;
    readonly lastSeen: number | null;
    /** Turn ids, newest first, at most 20. */
    readonly turnIds: readonly string[];
    /** Biting events and objections, newest first, at most 20. */
    readonly events: readonly {
      readonly id: string;
      readonly turn: string;
      readonly position: Position;
      readonly what: 'witness' | 'objection';
      readonly note: string;
    }[];
  }[];
}

/** What a monitor says of one turn: nothing to object, or what is wrong and where. */
export interface Objection {
  readonly key: EnforcedKey;
  readonly kind: GapKind;
  readonly event: string | null;
  readonly why: string;
}
