import { setTimeout as delay } from 'node:timers/promises';
import { StoreError } from '../store-error.ts';
import { failureOf, NoAnswerError } from './failures.ts';
import { pauseBefore, type Timings } from './timings.ts';

/** Ends a read whose other side says nothing more. */
export interface Watch {
  /** Something came. */
  readonly heard: () => void;
  /** What is to be done when nothing came for too long. */
  readonly onSilence: (end: () => void) => void;
}

/** Tries a read again, with growing pauses, until it answers or its time is up.
 * @throws StoreError `store_unavailable` that says why, or what the read itself throws of ours */
export const retried = async <T>(
  { where, timings }: { readonly where: string; readonly timings: Timings },
  read: (watch: Watch) => Promise<T>,
): Promise<T> => {
  const until = performance.now() + timings.total;
  for (let attempt = 0; ; attempt++) {
    try {
      return await watched(timings.call, read);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      const failure = failureOf(error);
      const why = failure.kind === 'conflict' ? 'it answers a read with a conflict' : failure.why;
      const pause = pauseBefore(attempt, timings);
      if (failure.kind !== 'again' || performance.now() + pause > until)
        throw unavailable(where, why);
      await delay(pause);
    }
  }
};

/** The error of a cluster that cannot be used. The client's own error is not its cause: it may hold what was sent. */
export const unavailable = (where: string, why: string): StoreError =>
  new StoreError(
    'store_unavailable',
    `the event store at \`${where}\` cannot be used now (${why}), check the cluster and its connection string`,
  );

const watched = async <T>(ms: number, read: (watch: Watch) => Promise<T>): Promise<T> => {
  let end: () => void = () => undefined;
  const state = { silent: false };
  const timer = setTimeout(() => {
    state.silent = true;
    end();
  }, ms);
  try {
    const answer = await read({
      heard: () => timer.refresh(),
      onSilence: (then) => {
        end = then;
      },
    });
    if (state.silent) throw new NoAnswerError('no answer came in time');
    return answer;
  } finally {
    clearTimeout(timer);
  }
};
