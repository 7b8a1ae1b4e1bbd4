import { Cron } from 'croner';
import type { ConfigText } from '@lockstep/policy';

type Judge = NonNullable<ConfigText['judgeSchedule']>;

/** Says what is wrong with the times of a job: a pattern or a time zone that cannot be read, or times that never come. */
export const judgeSchedule: Judge = (schedule, timezone) => {
  if (!isTimeZone(timezone))
    return {
      key: 'timezone',
      message: `\`${timezone}\` is no time zone, write an IANA name such as \`Europe/Berlin\``,
    };
  try {
    const times = new Cron(schedule, { timezone, paused: true }).nextRuns(1);
    return times.length > 0
      ? null
      : { key: 'schedule', message: `\`${schedule}\` names a time that never comes` };
  } catch {
    return {
      key: 'schedule',
      message: `\`${schedule}\` is no schedule, write five or six cron fields`,
    };
  }
};

const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};
