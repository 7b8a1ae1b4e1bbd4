import { availableParallelism } from 'node:os';
import { backtestReport, mergeTallies, type BacktestReport } from '@lockstep/engine';
import { openLogForReading } from '../../store/sqlite/log-schema.ts';
import type { Draft } from './draft.ts';
import { startJudge, type JudgeThread } from './judge-thread.ts';
import { turnIndex, type ListedTurn, type TurnFilter } from './turn-index.ts';

/** What is judged, and by what. */
export interface BacktestJob {
  /** The log's file; a daemon may be writing to it. */
  readonly log: string;
  readonly draft: Draft;
  readonly filter: TurnFilter;
  /** Threads; absent = one for each core. */
  readonly workers?: number;
}

/** Who watches a backtest, and may stop it. */
export interface BacktestWatch {
  readonly onProgress?: (progress: { readonly done: number; readonly all: number }) => void;
  readonly signal?: AbortSignal;
}

export type BacktestOutcome =
  { readonly kind: 'done'; readonly report: BacktestReport } | { readonly kind: 'cancelled' };

/** Turns that a thread is given at a time, at most. It keeps what it has read until it is done with them. */
const largestGroup = 64;
/** Groups that each thread has in hand, so that it never waits for the next. */
const inHand = 2;

/** Judges the turns of a log under a draft, in threads of their own. Reads only. What is kept does not grow with the turns.
 * @throws when the log cannot be read or a thread fails */
export const runBacktest = async (
  job: BacktestJob,
  watch: BacktestWatch = {},
): Promise<BacktestOutcome> => {
  const { signal } = watch;
  const db = openLogForReading(job.log);
  const threads: JudgeThread[] = [];
  const stop = (): Promise<unknown> => Promise.all(threads.map((thread) => thread.stop()));
  const stopNow = (): void => void stop();
  try {
    const index = turnIndex(db, job.filter);
    const all = await index.count();
    const wanted = Math.max(1, job.workers ?? availableParallelism());
    const data = { log: job.log, upTo: index.upTo, draft: job.draft.applied };
    const size = Math.min(largestGroup, Math.max(1, Math.ceil(all / (wanted * inHand))));
    for (let n = Math.min(wanted, Math.max(1, Math.ceil(all / size))); n > 0; n -= 1)
      threads.push(await startJudge(data));
    signal?.addEventListener('abort', stopNow, { once: true });
    if (signal?.aborted === true) return { kind: 'cancelled' };
    const tallies = await judgeAll(threads, index.groups(size), {
      all,
      ...(watch.onProgress === undefined ? {} : { onProgress: watch.onProgress }),
    });
    const [first, ...more] = tallies;
    if (first === undefined) throw new Error('a backtest has at least one thread');
    const { version, digest } = job.draft;
    return { kind: 'done', report: backtestReport(mergeTallies(first, more), { version, digest }) };
  } catch (error) {
    if (signal?.aborted === true) return { kind: 'cancelled' };
    throw error;
  } finally {
    signal?.removeEventListener('abort', stopNow);
    await stop();
    db.close();
  }
};

const judgeAll = (
  threads: readonly JudgeThread[],
  groups: AsyncGenerator<readonly ListedTurn[]>,
  { all, onProgress }: { readonly all: number } & Pick<BacktestWatch, 'onProgress'>,
) => {
  let done = 0;
  onProgress?.({ done, all });
  const feed = async (thread: JudgeThread): Promise<void> => {
    for (;;) {
      const next = await groups.next();
      if (next.done === true) return;
      await thread.judge(next.value);
      done += next.value.length;
      onProgress?.({ done, all });
    }
  };
  return Promise.all(
    threads.map(async (thread) => {
      await Promise.all(Array.from({ length: inHand }, () => feed(thread)));
      return thread.finish();
    }),
  );
};
