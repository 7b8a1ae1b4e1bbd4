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
