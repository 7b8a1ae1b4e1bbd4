import type { Clock } from '@lockstep/engine';
import type { Alarms } from '../turns/alarms.ts';

/** A clock that can be put forward, so that what takes an hour by policy is seen at once. */
export interface ProbeClock extends Clock, Alarms {
  /** Puts it forward; what becomes due is called back before this returns. */
  jump(ms: number): void;
}

interface Alarm {
  readonly time: number;
  readonly wake: () => void;
  timer: NodeJS.Timeout | null;
}

const longestWaitMs = 2_000_000_000;

export const probeClock = (): ProbeClock => {
  let ahead = 0;
  const alarms = new Set<Alarm>();
  const now = (): number => Date.now() + ahead;
  const ring = (alarm: Alarm): void => {
    if (!alarms.delete(alarm)) return;
    if (alarm.timer !== null) clearTimeout(alarm.timer);
    alarm.wake();
  };
  return {
    now,
    at: (time, wake) => {
      const alarm: Alarm = { time, wake, timer: null };
      alarms.add(alarm);
      const left = Math.max(0, time - now());
      if (left < longestWaitMs)
        alarm.timer = setTimeout(() => {
          ring(alarm);
        }, left).unref();
      return () => {
        alarms.delete(alarm);
        if (alarm.timer !== null) clearTimeout(alarm.timer);
      };
    },
    jump: (ms) => {
      ahead += ms;
      const due = [...alarms].filter(({ time }) => time <= now());
      for (const alarm of due.sort((a, b) => a.time - b.time)) ring(alarm);
    },
  };
};
