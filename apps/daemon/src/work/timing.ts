import { Cron } from 'croner';

/** When something is due. Pure: only the schedule and the time asked about decide. All times in ms since the epoch. */
export interface Timing {
  /** The first time after `after`; null = there is none. */
  next(after: number): number | null;
}

export type ReadTiming =
  { readonly ok: true; readonly timing: Timing } | { readonly ok: false; readonly problem: string };

/** Reads a schedule. In the hour that daylight saving skips a fixed time comes once, at the hour's end; in the hour that it repeats,
 * once. Jobs that agents make have five fields: none comes more often than once a minute. */
export const cronTiming = (
  schedule: string,
  timezone: string,
  fields: 'five' | 'five or six',
): ReadTiming => {
  try {
    const mode = fields === 'five' ? '5-part' : '5-or-6-parts';
    const cron = new Cron(schedule, { timezone, mode, paused: true });
    const next = (after: number): number | null =>
      cron.nextRuns(1, new Date(after))[0]?.getTime() ?? null;
    // A bad time zone shows itself only when a time is asked for.
    return next(0) === null
      ? { ok: false, problem: `the schedule \`${schedule}\` has no time` }
      : { ok: true, timing: { next } };
  } catch (error) {
    return { ok: false, problem: problemOf(error, schedule, timezone) };
  }
};

/** Times at a steady pace, counted from the epoch: a restart changes none. */
export const steadyTiming = (everyMs: number): Timing => ({
  next: (after) => (Math.floor(after / everyMs) + 1) * everyMs,
});

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of `30m` and the like, as config writes them. */
export const durationMs = (text: string): number => {
  const unit = Object.entries(units).find(([name]) => text.endsWith(name))?.[1] ?? units.s;
  return Number(text.slice(0, -1)) * unit;
};

/** The last time up to `upTo`, given one after `after` that is not later. */
export const lastUpTo = (timing: Timing, after: number, upTo: number): number | null => {
  let before = after;
  let beyond = upTo;
  while (beyond - before > 1_000) {
    const middle = Math.floor((before + beyond) / 2);
    const next = timing.next(middle);
    if (next !== null && next <= upTo) before = middle;
    else beyond = middle;
  }
  let last: number | null = null;
  for (let next = timing.next(before); next !== null && next <= upTo; next = timing.next(next))
    last = next;
  return last;
};

/** How many times there are after `after` and up to `upTo`; beyond `most` it is not counted. */
export const countUpTo = (
  timing: Timing,
  { after, upTo, most }: { readonly after: number; readonly upTo: number; readonly most: number },
): number => {
  let count = 0;
  for (
    let next = timing.next(after);
    count < most && next !== null && next <= upTo;
    next = timing.next(next)
  )
    count += 1;
  return count;
};

const problemOf = (error: unknown, schedule: string, timezone: string): string => {
  const said = error instanceof Error ? error.message : String(error);
  return /timezone|time zone/i.test(said)
    ? `\`${timezone}\` is no time zone: name one like \`Europe/Berlin\``
    : `the schedule \`${schedule}\` cannot be read: ${said.replace(/^CronPattern: /, '')}`;
};
