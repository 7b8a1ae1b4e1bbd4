import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planDue } from './plan-due.ts';
import {
  countUpTo,
  cronTiming,
  durationMs,
  lastUpTo,
  steadyTiming,
  type Timing,
} from './timing.ts';

const cron = (schedule: string, timezone = 'UTC'): Timing => {
  const read = cronTiming(schedule, timezone, 'five or six');
  if (!read.ok) throw new Error(read.problem);
  return read.timing;
};
const at = (text: string): number => Date.parse(text);
const next = (timing: Timing, after: string, n: number): string[] => {
  const times: string[] = [];
  for (let time = timing.next(at(after)); times.length < n && time !== null;) {
    times.push(new Date(time).toISOString());
    time = timing.next(time);
  }
  return times;
};

describe('given a schedule in a zone with daylight saving', () => {
  it('comes once where the hour is skipped, at its end', () => {
    expect(next(cron('30 2 * * *', 'Europe/Berlin'), '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  it('comes once where the hour is repeated', () => {
    expect(next(cron('30 2 * * *', 'Europe/Berlin'), '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });
});

describe('given a schedule that is none', () => {
  it('says what is wrong with it', () => {
    const problem = (schedule: string, timezone = 'UTC'): string => {
      const read = cronTiming(schedule, timezone, 'five');
      return read.ok ? 'none' : read.problem;
    };
    expect(problem('x y')).toContain('the schedule `x y` cannot be read: ');
    expect(problem('* * * * * *')).toContain('requires exactly 5 parts');
    expect(problem('0 0 31 2 *')).toBe('the schedule `0 0 31 2 *` has no time');
    expect(problem('* * * * *', 'Nope/Zone')).toBe(
      '`Nope/Zone` is no time zone: name one like `Europe/Berlin`',
    );
  });
});

describe('given a length of time', () => {
  it('reads seconds, minutes, hours and days', () => {
    expect(['15s', '30m', '2h', '1d'].map(durationMs)).toEqual([
      15_000, 1_800_000, 7_200_000, 86_400_000,
    ]);
  });
});

const timings = fc.constantFrom(
  cron('*/20 * * * *'),
  cron('0 7 * * 1-5', 'Europe/Berlin'),
  cron('30 2 * * *', 'America/New_York'),
  steadyTiming(durationMs('43m')),
);
const moments = fc.integer({ min: at('2026-01-01'), max: at('2026-12-31') });
const spans = fc.integer({ min: 0, max: 3 * 86_400_000 });

describe('given any schedule', () => {
  it('finds the last time up to a moment as walking there does', () => {
    fc.assert(
      fc.property(timings, moments, spans, (timing, after, span) => {
        const upTo = after + span;
        let walked: number | null = null;
        let count = 0;
        for (
          let time = timing.next(after);
          time !== null && time <= upTo;
          time = timing.next(time)
        ) {
          walked = time;
          count += 1;
        }
        expect(lastUpTo(timing, after, upTo)).toBe(walked);
        expect(countUpTo(timing, { after, upTo, most: Infinity })).toBe(count);
      }),
      { numRuns: 25 },
    );
  });

  it('plans no time twice and leaves none out, whatever the clock does', () => {
    const jumps = fc.array(fc.integer({ min: -7_200_000, max: 86_400_000 }), { maxLength: 12 });
    const rules = fc.constantFrom('skip' as const, 'run_once' as const);
    fc.assert(
      fc.property(timings, moments, jumps, rules, (timing, start, moves, missed) => {
        let until = start;
        let now = start;
        const seen: number[] = [];
        const range = (from: number, to: number): void => {
          for (
            let time: number | null = from;
            time !== null && time <= to;
            time = timing.next(time)
          )
            seen.push(time);
        };
        for (const move of moves) {
          now = Math.max(start, now + move);
          for (;;) {
            const plan = planDue({ timing, until, now, since: start, missed });
            if (plan.kind === 'wait') break;
            if (plan.skipped !== null) range(plan.skipped.due, plan.skipped.last);
            if (plan.kind === 'due') seen.push(plan.due);
            until = plan.kind === 'due' ? plan.due : plan.skipped.last;
          }
        }
        const expected: number[] = [];
        for (
          let time = timing.next(start);
          time !== null && time <= until;
          time = timing.next(time)
        )
          expected.push(time);
        expect(seen).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });
});
