import type { Ids } from '../ports/clock.ts';

/** Ids of UUIDv7 form, counted from 1, so that a test's records are the same in every run.
 * @param lane one hex digit that keeps several sources apart */
export const sequentialIds = (lane = '0'): Ids => {
  let count = 0;
  return {
    next: () => {
      count += 1;
      return `00000000-0000-7000-8${lane.padStart(3, '0')}-${count.toString(16).padStart(12, '0')}`;
    },
  };
};
