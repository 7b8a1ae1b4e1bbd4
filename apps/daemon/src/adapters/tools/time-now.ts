import type { ToolDone } from './tool-failure.ts';
import { ToolSays } from './tool-failure.ts';

/** `time_now`: the time in a zone, in a form that people and programs read. */
export const timeNowTool = (now: number, timezone: string): ToolDone => {
  try {
    const parts = new Intl.DateTimeFormat('en-GB', {
      timeZone: timezone,
      dateStyle: 'full',
      timeStyle: 'long',
    }).format(now);
    return { text: `${new Date(now).toISOString()} (${timezone}: ${parts})` };
  } catch {
    throw new ToolSays(`there is no time zone \`${timezone}\``);
  }
};
