import type { VerdictChange, VerdictSeen } from '../counterfactual/report.ts';

/** How many verdicts changed, and how. */
export type ChangeCounts = Readonly<Record<VerdictChange, number>>;

/** Verdicts of one kind, as of one tool. */
export interface BacktestGroup {
  readonly name: string;
  readonly counts: ChangeCounts;
}

/** One verdict that a draft would change. */
export interface BacktestChange {
  readonly turn: string;
  readonly call: string;
  readonly tool: string;
  readonly agent: string;
  readonly path: string;
  readonly person: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly recorded: VerdictSeen;
  readonly now: VerdictSeen;
  readonly change: Exclude<VerdictChange, 'unchanged' | 'beyond_horizon'>;
}

/** What a draft would have done to the turns of a log. */
export interface BacktestReport {
  readonly config: { readonly version: number | null; readonly digest: string };
  readonly turns: {
    readonly all: number;
    /** Every verdict as it was, and no horizon. */
    readonly unchanged: number;
    readonly changed: number;
    /** Would not have begun. */
    readonly notReachable: number;
    /** The log lacks something of them. */
    readonly stopped: number;
    /** Are no history as it was recorded. */
    readonly refused: number;
  };
  readonly verdicts: ChangeCounts;
  readonly by: {
    readonly tool: readonly BacktestGroup[];
    /** The rule that decides now. */
    readonly rule: readonly BacktestGroup[];
    readonly path: readonly BacktestGroup[];
    readonly agent: readonly BacktestGroup[];
    /** Who started the turn. */
    readonly person: readonly BacktestGroup[];
  };
  readonly approvals: {
    /** Over the days from the first turn to the last; null below one day. */
    readonly perDay: { readonly recorded: number; readonly expected: number } | null;
    readonly recorded: number;
    readonly expected: number;
    /** From question to answer, in ms; null = nobody has answered yet. */
    readonly wait: { readonly p50: number; readonly p90: number; readonly answers: number } | null;
  };
  /** The first ones in log order; `more` says how many are left out. */
  readonly changes: readonly BacktestChange[];
  readonly more: number;
}
