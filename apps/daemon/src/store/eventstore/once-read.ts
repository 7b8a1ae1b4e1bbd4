import type { AllStreamSubscription } from '@eventstore/db-client';

/** Calls back once everything up to the caught-up mark was read. The client announces the mark when it arrives, which may be before
 * the reader has had the events that came ahead of it. */
export const onceRead = (subscription: AllStreamSubscription, then: () => void): void => {
  subscription.once('caughtUp', () => {
    const settle = (): void => {
      if (subscription.readableLength === 0) then();
      else setImmediate(settle);
    };
    setImmediate(settle);
  });
};
