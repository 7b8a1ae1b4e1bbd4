import type { Clock } from '@lockstep/engine';

/** Wakes somebody at a wall-clock time. */
export interface Alarms {
  /** Calls back once at or after `time` (ms since the epoch). Answers the way to take it back. */
  at(time: number, wake: () => void): () => void;
}

export const ALARMS = Symbol('ALARMS');

/** The longest wait that a timer takes; a later time is waited for in pieces. */
const longestWaitMs = 2_000_000_000;

/** Alarms on real timers. They keep no process alive. */
export const timerAlarms = (clock: Clock): Alarms => ({
  at: (time, wake) => {
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const left = time - clock.now();
      timer = setTimeout(
        left > longestWaitMs ? arm : wake,
        Math.max(0, Math.min(left, longestWaitMs)),
      );
      timer.unref();
    };
    arm();
    return () => {
      clearTimeout(timer);
    };
  },
});
