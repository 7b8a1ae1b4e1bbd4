import type { BacktestReport } from '@lockstep/engine';

/** What may be told to fail a build, with how often a report holds it. */
const counters = {
  'newly-allowed': ({ verdicts }) => verdicts.newly_allowed,
  'newly-asked': ({ verdicts }) => verdicts.newly_asked,
  'newly-refused': ({ verdicts }) => verdicts.newly_refused,
  'beyond-horizon': ({ verdicts }) => verdicts.beyond_horizon,
  'not-reachable': ({ turns }) => turns.notReachable,
  /** Turns of which nothing can be said. */
  unjudged: ({ turns }) => turns.stopped + turns.refused,
} as const satisfies Record<string, (report: BacktestReport) => number>;

export type FailOn = keyof typeof counters;

/** Every word of `--fail-on`. */
export const failOnWords = Object.keys(counters) as readonly FailOn[];

/** The words of a list with commas between them, or the first that is none. */
export const readFailOn = (
  text: string,
):
  | { readonly ok: true; readonly words: readonly FailOn[] }
  | { readonly ok: false; readonly word: string } => {
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !Object.hasOwn(counters, word));
  return unknown === undefined
    ? { ok: true, words: words as readonly FailOn[] }
    : { ok: false, word: unknown };
};

/** What of it is in a report, each with its number. */
export const hitsIn = (
  report: BacktestReport,
  words: readonly FailOn[],
): readonly { readonly word: FailOn; readonly count: number }[] =>
  words.map((word) => ({ word, count: counters[word](report) })).filter(({ count }) => count > 0);
