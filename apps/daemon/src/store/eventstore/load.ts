import type { EventStoreLog, EventStoreLogOptions } from './open-eventstore-log.ts';

/** Opens the log of a cluster; its client is loaded only then.
 * @throws StoreError when folder or log are in use, the cluster does not answer, or the log holds what is no event */
export const openEventStoreLog = async (options: EventStoreLogOptions): Promise<EventStoreLog> => {
  const { openEventStoreLog: open } = await import('./open-eventstore-log.ts');
  return open(options);
};
