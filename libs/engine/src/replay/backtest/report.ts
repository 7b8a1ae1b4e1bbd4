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
  /** Who started the turn: an alias of `[people]`, else `kind:id`. */
  readonly person: string;
  /** Milliseconds since the epoch, of the recorded verdict. */
  readonly time: number;
  /** Where the recorded verdict stands in the log. */
  readonly position: string;
  readonly recorded: VerdictSeen;
  readonly now: VerdictSeen;
  readonly change: Exclude<VerdictChange, 'unchanged' | 'beyond_horizon'>;
}

/** A turn whose verdicts were not compared, and why. */
export interface UnjudgedTurn {
  readonly turn: string;
  readonly outcome: 'not_reachable' | 'stopped' | 'refused';
  readonly why: string;
  /** Where the turn begins in the log. */
  readonly position: string;
}

/** What a draft would have done to the turns of a log. */
export interface BacktestReport {
  readonly config: { readonly version: number | null; readonly digest: string };
  /** Times of the first and the last turn, in ms since the epoch; null = no turn. */
  readonly span: { readonly first: number; readonly last: number } | null;
  readonly turns: {
    /** The sum of the others. */
    readonly all: number;
    /** Every verdict as it was, and no horizon. */
    readonly unchanged: number;
    /** A verdict changed, or the model would have been told something else. */
    readonly changed: number;
    /** Would not have begun. */
    readonly notReachable: number;
    /** The log lacks something of them. */
    readonly stopped: number;
    /** Are no history as it was recorded. */
    readonly refused: number;
  };
  readonly verdicts: ChangeCounts;
  /** Most changed first. Names beyond a bound are counted together, as `(others)`. */
  readonly by: {
    readonly tool: readonly BacktestGroup[];
    /** The rule that decides now; beyond the horizon, the one that decided then. */
    readonly rule: readonly BacktestGroup[];
    readonly path: readonly BacktestGroup[];
    readonly agent: readonly BacktestGroup[];
    /** Who started the turn. */
    readonly person: readonly BacktestGroup[];
  };
  /** Of turns that were compared or would not have begun. */
  readonly approvals: {
    /** Over the days from the first turn to the last; null below one day. */
    readonly perDay: { readonly recorded: number; readonly expected: number } | null;
    /** Questions that people were asked. */
    readonly recorded: number;
    /** Questions that they would be asked, before the horizon. */
    readonly expected: number;
    /** Recorded questions beyond the horizon: nobody knows whether they would be asked. */
    readonly beyondHorizon: number;
    /** From question to answer, in ms; null = nobody has answered yet. */
    readonly wait: { readonly p50: number; readonly p90: number; readonly answers: number } | null;
  };
  /** The first ones in log order; `more` says how many are left out. */
  readonly changes: readonly BacktestChange[];
  readonly more: number;
  /** The first turns in log order that were not compared. */
  readonly unjudged: readonly UnjudgedTurn[];
  /** What was taken as recorded in some of the turns though it might have been otherwise. */
  readonly notes: readonly string[];
}
