import { ToolSays, type ToolDone } from './tool-failure.ts';

/** `time_now`: the time in UTC, and as a clock on the wall of a zone shows it. */
export const timeNowTool = (now: number, timezone: string): ToolDone => {
  const utc = new Date(now).toISOString();
  const parts = partsIn(now, timezone);
  const date = `${parts['weekday']} ${parts['year']}-${parts['month']}-${parts['day']}`;
  const time = `${parts['hour']}:${parts['minute']}:${parts['second']}`;
  return { text: `${utc} (${timezone}: ${date} ${time} ${parts['timeZoneName']})` };
};

const partsIn = (now: number, timeZone: string): Readonly<Record<string, string>> => {
  try {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    });
    return Object.fromEntries(format.formatToParts(now).map((p) => [p.type, p.value]));
  } catch {
    throw new ToolSays(`there is no time zone \`${timeZone}\``);
  }
};
