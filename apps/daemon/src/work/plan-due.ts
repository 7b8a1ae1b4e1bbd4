import { countUpTo, lastUpTo, type Timing } from './timing.ts';

/** What a job is to do now. All times in ms since the epoch. */
export type DuePlan =
  /** Nothing yet; null = never again. */
  | { readonly kind: 'wait'; readonly until: number | null }
  /** Times that passed unseen, and are not made up for. */
  | { readonly kind: 'missed'; readonly skipped: SkippedTimes }
  /** A time is due; earlier ones that it makes up for are skipped with it. */
  | {
      readonly kind: 'due';
      readonly due: number;
      readonly late: boolean;
      readonly skipped: SkippedTimes | null;
    };

export interface SkippedTimes {
  /** The first of them. */
  readonly due: number;
  /** Further ones, as far as they are counted. */
  readonly more: number;
  readonly last: number;
}

/** A time that is older than this was not seen when it came: the machine slept, or its clock was put forward. */
export const lateAfterMs = 60_000;

/** Skipped times beyond so many are not counted. */
const mostCounted = 1_000;

/** What the next step of a job is: pure, and the same after a restart, since `until` comes from the log. */
export const planDue = (job: {
  readonly timing: Timing;
  /** The latest time that was taken or skipped: nothing up to it comes again, whatever the clock says. */
  readonly until: number;
  readonly now: number;
  /** When this daemon began to look. */
  readonly since: number;
  readonly missed: 'skip' | 'run_once';
}): DuePlan => {
  const { timing, until, now } = job;
  const first = timing.next(until);
  if (first === null || first > now) return { kind: 'wait', until: first };
  const unseen = unseenUpTo(job);
  if (first > unseen) return { kind: 'due', due: first, late: false, skipped: null };
  const last = lastUpTo(timing, until, unseen) ?? first;
  if (job.missed === 'skip')
    return { kind: 'missed', skipped: skippedOf(timing, { until, first, last }) };
  if (last === first) return { kind: 'due', due: last, late: true, skipped: null };
  const before = lastUpTo(timing, until, last - 1) ?? first;
  const skipped = skippedOf(timing, { until, first, last: before });
  return { kind: 'due', due: last, late: true, skipped };
};

/** Times up to here passed while nobody looked. A start that lies ahead says only that the clock went back. */
const unseenUpTo = ({ now, since }: { readonly now: number; readonly since: number }): number =>
  since <= now ? Math.max(since, now - lateAfterMs) : now - lateAfterMs;

const skippedOf = (
  timing: Timing,
  times: { readonly until: number; readonly first: number; readonly last: number },
): SkippedTimes => {
  const most = mostCounted + 1;
  const count = countUpTo(timing, { after: times.until, upTo: times.last, most });
  return { due: times.first, more: count - 1, last: times.last };
};
