import { digestOfText } from '@lockstep/policy';
import type { LockstepEvent } from '../events/event.ts';
import type { HistoryHeader } from './history/header.ts';
import { historyBounds, historyReader, type HistoryReader } from './history/reader.ts';
import type { HistoryProblem } from './report.ts';

export type ReadHistory =
  | {
      readonly ok: true;
      readonly events: readonly LockstepEvent[];
      /** Null = the lines stand alone, as `lockstep events export` writes them. */
      readonly header: HistoryHeader | null;
    }
  | { readonly ok: false; readonly problems: readonly HistoryProblem[] };

/** Takes the lines of a history and keeps its events. What is wrong is gathered, up to a bound. */
export interface HistoryCollector {
  /** False = so much is wrong that there is no use in reading on. */
  take(line: string): boolean;
  end(): ReadHistory;
}

/** Collects over a reader at its first line. */
export const historyCollector = (reader: HistoryReader): HistoryCollector => {
  const events: LockstepEvent[] = [];
  const problems: HistoryProblem[] = [];
  return {
    take: (line) => {
      const taken = reader.take(line);
      if (taken.kind === 'event' && problems.length === 0) events.push(taken.event);
      else if (taken.kind === 'problem') problems.push(...taken.problems);
      return problems.length < historyBounds.problems;
    },
    end: () => {
      if (problems.length > 0)
        return { ok: false, problems: problems.slice(0, historyBounds.problems) };
      const whole = reader.end();
      return whole.length > 0
        ? { ok: false, problems: whole }
        : { ok: true, events, header: reader.header };
    },
  };
};

/** Reads an exported history: one event as JSON on each line, after a header or without one. Every line that is no event is named by
 * its number. */
export const readHistory = (text: string): ReadHistory => {
  const parts: string[] = [];
  const collector = historyCollector(
    historyReader({
      add: (part) => {
        parts.push(part);
      },
      hex: () => digestOfText(parts.join('')),
    }),
  );
  for (let at = 0; at <= text.length;) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end === -1 ? text.length : end);
    if (!collector.take(line) || end === -1) break;
    at = end + 1;
  }
  return collector.end();
};

/** Turns of a read history that are to be replayed, in order: those that its header names, or all. */
export const turnsOf = (header: HistoryHeader | null, all: readonly string[]): readonly string[] =>
  header?.turns ?? all;
