import { digestOf, parseConfig, type Host, type ParsedConfig } from '@lockstep/policy';
import { formatOf } from '../config/check-config.ts';
import { judgeSchedule } from '../config/judge-schedule.ts';

/** The drafts read last, oldest first: whoever asks about one turn under a draft asks about the next under the same. */
const read = new Map<string, ParsedConfig>();
const maxKept = 4;

/** A draft as the machine of the log would read it. One that was read shortly before is not judged again.
 * @param file its name says the format */
export const parseDraft = (text: string, file: string, host: Host): ParsedConfig => {
  const key = digestOf([text, file, host]);
  const known = read.get(key);
  if (known !== undefined) return known;
  const parsed = parseConfig({ text, format: formatOf(file), file, host, judgeSchedule });
  const [oldest] = read.keys();
  if (oldest !== undefined && read.size >= maxKept) read.delete(oldest);
  read.set(key, parsed);
  return parsed;
};
