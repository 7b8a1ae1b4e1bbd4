import type { Job, OpenJobRun } from '@lockstep/engine';
import type { BookedJob } from './job-book.ts';

/** A job with its times. */
export interface JobListing extends Pick<
  BookedJob,
  'name' | 'kind' | 'agent' | 'schedule' | 'timezone' | 'enabled' | 'missed' | 'overlap' | 'sop'
> {
  /** Next times, in ms since the epoch; empty = never, or the job is off. */
  readonly next: readonly number[];
  readonly open: OpenJobRun | null;
  readonly queued: OpenJobRun | null;
  /** Who made it, when a tool did. */
  readonly madeBy: string | null;
}

export type JobStart =
  | {
      readonly kind: 'started';
      /** The turn, or the run of a procedure. */
      readonly turn: string;
      readonly sop: string | null;
      readonly due: number;
      /** It begins once the run before it has ended. */
      readonly queued: boolean;
    }
  | { readonly kind: 'not_found' }
  /** Its last run still works, and nothing more may wait. */
  | { readonly kind: 'busy'; readonly turn: string }
  | { readonly kind: 'stopped' | 'unavailable'; readonly message: string };

export type JobChange =
  { readonly kind: 'done' } | { readonly kind: 'refused'; readonly message: string };

/** The jobs of the daemon. */
export interface Jobs {
  list(agent: string | null): readonly JobListing[];
  find(name: string): JobListing | null;
  /** Starts a job now, as a person wishes. */
  runNow(name: string): Promise<JobStart>;
  add(job: Job): Promise<JobChange>;
  /** Ends a job that a tool made. */
  remove(name: string, agent: string, by: string): Promise<JobChange>;
}

export const JOBS = Symbol('JOBS');
