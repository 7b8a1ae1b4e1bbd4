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
  const key = JSON.stringify([schedule, timezone]);
  const comesNever = {
    key: 'schedule',
    message: `\`${schedule}\` names a time that never comes`,
  } as const;
  if (never.has(key)) return comesNever;
  try {
    const options = { timezone, paused: true };
    // What it reads as is judged as it stands; only the search is bounded.
    new Cron(schedule, options);
    if (new Cron(withinYears(schedule), options).nextRuns(1).length > 0) return null;
    if (never.size >= maxKept) never.clear();
    never.add(key);
    return comesNever;
  } catch {
    return {
      key: 'schedule',
      message: `\`${schedule}\` is no schedule, write five or six cron fields`,
    };
  }
};

/** Schedules that never come, with their time zones: it takes longest to find out, and stays so. */
const never = new Set<string>();
const maxKept = 4096;

/** Long enough for 29 February on a given weekday, which is 40 years away where a century leaves one out. */
const searchedYears = 60;

/** A search of thousands of years would hold everything else up: fields that name no year get the next ones. */
const withinYears = (schedule: string): string => {
  const fields = schedule.trim().split(/\s+/);
  const year = new Date().getUTCFullYear();
  const years = `${year}-${year + searchedYears}`;
  if (fields.length === 5) return ['0', ...fields, years].join(' ');
  return fields.length === 6 ? [...fields, years].join(' ') : schedule;
};

const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};
