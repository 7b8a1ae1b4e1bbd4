import type { EventStore } from '@lockstep/engine';

/** What is said wherever a read-only log would have been written. */
export const readOnlyMessage =
  'the log of this data folder was restored or copied and is read-only: look at it, then take it over with `lockstep adopt`';

/** The same log, which takes no events. */
export const readOnlyStore = (store: EventStore): EventStore => ({
  ...store,
  append: () => Promise.resolve({ ok: false, reason: 'unavailable', message: readOnlyMessage }),
});
