import type { EventStore } from '@lockstep/engine';

/** Lies over a log that stops, as if the daemon had died there. */
export interface StoppableLog {
  readonly over: (store: EventStore) => EventStore;
  /** After so many further appends none is taken. */
  readonly stopAfter: (appends: number) => void;
  /** Resolves once an append was turned away. */
  readonly stopped: () => Promise<void>;
  /** Takes appends again, as a new daemon does. */
  readonly revive: () => void;
  /** Ids of every event that the daemon was told is durable. */
  readonly acknowledged: readonly string[];
  readonly appends: () => number;
}

export const stoppableLog = (): StoppableLog => {
  const acknowledged: string[] = [];
  let left = Infinity;
  let appends = 0;
  let wake = (): void => undefined;
  let stopped = Promise.resolve();
  const arm = (count: number): void => {
    left = count;
    stopped = new Promise((resolve) => {
      wake = resolve;
    });
  };
  return {
    over: (store) => ({
      ...store,
      append: async (stream, events, expected) => {
        if (left <= 0) {
          wake();
          return { ok: false, reason: 'unavailable', message: 'the log has stopped' };
        }
        left -= 1;
        appends += 1;
        const result = await store.append(stream, events, expected);
        if (result.ok) acknowledged.push(...result.events.map(({ id }) => id));
        return result;
      },
    }),
    stopAfter: arm,
    stopped: () => stopped,
    revive: () => {
      arm(Infinity);
    },
    acknowledged,
    appends: () => appends,
  };
};
