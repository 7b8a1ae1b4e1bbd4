import type { Position } from '../events/envelope.ts';
import type { LockstepEvent } from '../events/event.ts';
import type { ReadAllResult, Subscription, SubscriptionMessage } from '../ports/event-store.ts';

/** What a subscription reads from. */
export interface SubscriptionSource {
  readonly after: Position | 'start';
  /** The next page of acknowledged events after a position. */
  page(after: Position | 'start'): ReadAllResult | Promise<ReadAllResult>;
  /** Whether anything was acknowledged after a position. */
  hasMore(after: Position | 'start'): boolean;
  /** Calls back, again and again, when there may be more or the store closed; answers how to stop that. */
  onWake(wake: () => void): () => void;
  closed(): boolean;
}

/** A catch-up subscription that holds one page at most: a subscriber that does not read costs no memory, it is only woken.
 * It ends when the store closes, and throws from `next()` when a page cannot be read. */
export const subscription = (source: SubscriptionSource): Subscription => {
  let cursor = source.after;
  let page: readonly LockstepEvent[] = [];
  let index = 0;
  let marked = false;
  let stopped = false;
  let wakeWaiter: (() => void) | null = null;
  const unsubscribe = source.onWake(() => wakeWaiter?.());

  const stop = (): void => {
    stopped = true;
    unsubscribe();
    wakeWaiter?.();
  };
  const ended = (): boolean => stopped || source.closed();

  const waitForMore = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      wakeWaiter = resolve;
      if (ended() || source.hasMore(cursor)) resolve();
    });
    wakeWaiter = null;
  };

  const pull = async (): Promise<IteratorResult<SubscriptionMessage>> => {
    while (!ended()) {
      const event = page[index];
      if (event !== undefined) {
        index += 1;
        return { done: false, value: { kind: 'event', event } };
      }
      const read = await source.page(cursor);
      page = read.events;
      index = 0;
      cursor = read.next;
      if (page.length > 0 || !read.end) continue;
      if (!marked) {
        marked = true;
        return { done: false, value: { kind: 'caught-up', position: cursor } };
      }
      await waitForMore();
    }
    stop();
    return { done: true, value: undefined };
  };

  let last: Promise<unknown> = Promise.resolve();
  const it: Subscription = {
    next: () => {
      const mine = last.then(pull);
      last = mine.catch(() => undefined);
      return mine;
    },
    return: () => {
      stop();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]: () => it,
  };
  return it;
};
