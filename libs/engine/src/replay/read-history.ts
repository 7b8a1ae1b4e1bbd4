import { parseEvent, type LockstepEvent } from '../events/event.ts';
import type { HistoryProblem } from './report.ts';

export type ReadHistory =
  | { readonly ok: true; readonly events: readonly LockstepEvent[] }
  | { readonly ok: false; readonly problems: readonly HistoryProblem[] };

/** Reads an exported history: one event as JSON on each line. Every line that is no event is named by its number. */
export const readHistory = (text: string): ReadHistory => {
  const events: LockstepEvent[] = [];
  const problems: HistoryProblem[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const where = `line ${index + 1}`;
    const read = parseLine(line);
    if (read === null) problems.push({ where, message: 'this line is no JSON' });
    else if (read.ok) events.push(read.event);
    else
      for (const problem of read.problems)
        problems.push({ where, message: `${problem.where}: ${problem.message}` });
  }
  if (problems.length > 0) return { ok: false, problems };
  return events.length === 0
    ? { ok: false, problems: [{ where: 'line 1', message: 'the history holds no event' }] }
    : { ok: true, events };
};

const parseLine = (line: string): ReturnType<typeof parseEvent> | null => {
  try {
    return parseEvent(JSON.parse(line));
  } catch {
    return null;
  }
};
