import { describe, expect, it } from 'vitest';
import { judgeSchedule } from './judge-schedule.ts';

describe('the schedule of a job', () => {
  it.each(['0 7 * * 1-5', '*/10 * * * * *', '0 0 29 2 *', '0 0 L * *', '0 0 29 2 +1#5', '@daily'])(
    'may be %s',
    (schedule) => {
      expect(judgeSchedule(schedule, 'Europe/Berlin')).toBeNull();
    },
  );

  it.each([
    ['every day', 'is no schedule, write five or six cron fields'],
    ['0 25 * * *', 'is no schedule, write five or six cron fields'],
    ['0 0 31 2 *', 'names a time that never comes'],
    ['0 0 29 2 +1#1', 'names a time that never comes'],
    ['0 0 0 30 2 * 2020-2030', 'names a time that never comes'],
  ])('is refused: %s', (schedule, what) => {
    const message = `\`${schedule}\` ${what}`;
    expect(judgeSchedule(schedule, 'UTC')).toEqual({ key: 'schedule', message });
    // A second look answers from what is kept.
    expect(judgeSchedule(schedule, 'UTC')).toEqual({ key: 'schedule', message });
  });

  it('is refused a time zone that there is not', () => {
    expect(judgeSchedule('0 7 * * *', 'Europe/Atlantis')).toEqual({
      key: 'timezone',
      message: '`Europe/Atlantis` is no time zone, write an IANA name such as `Europe/Berlin`',
    });
  });
});
