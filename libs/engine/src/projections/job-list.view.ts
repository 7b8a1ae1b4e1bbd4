/** One time of a job: what became of it. */
export interface JobRunRow {
  /** When it was due, in ms since the epoch. */
  readonly due: number;
  /** `running` until there is an outcome; a skipped time has its reason. */
  readonly state:
    | 'running'
    | 'completed'
    | 'failed'
    | 'cancelled'
    | 'refused'
    | 'missed'
    | 'overlap'
    | 'stopped'
    | 'adopted';
  /** The turn, or the run of a procedure; null for a skipped time. */
  readonly turn: string | null;
  readonly sop: string | null;
  readonly late: boolean;
  readonly by: 'schedule' | 'person';
  /** Further times skipped for the same reason. */
  readonly more: number;
  readonly at: number;
  readonly endedAt: number | null;
}

/** What the log holds of one job, of config, of a tool or a heartbeat. */
export interface JobRow {
  readonly name: string;
  readonly agent: string;
  /** Who made it, when a tool did; null for jobs of config. */
  readonly madeBy: string | null;
  readonly madeAt: number | null;
  readonly removedAt: number | null;
  /** Its last times, newest first. */
  readonly runs: readonly JobRunRow[];
  /** How many runs had each outcome, and how many times were skipped. */
  readonly counts: {
    readonly completed: number;
    readonly failed: number;
    readonly skipped: number;
  };
  readonly lastAt: number;
}
