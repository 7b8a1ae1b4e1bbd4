import type { Clock } from '../ports/clock.ts';

/** A clock that stands still until a test moves it. */
export interface FixedClock extends Clock {
  /** Moves the clock on by so many ms; negative = back, as a corrected system clock does. */
  advance(ms: number): void;
}

/** A clock at a given time, in ms since the epoch. */
export const fixedClock = (now = 1_767_225_600_000): FixedClock => {
  let time = now;
  return {
    now: () => time,
    advance: (ms) => {
      time += ms;
    },
  };
};
