import { describe, expect, it } from 'vitest';
import type { Intake } from '../../turns/intake.port.ts';
import { sweepLimit } from './memory-service.ts';
import { RetentionSweep } from './retention-sweep.ts';

const minute = 60_000;

/** A sweep over a clock that goes by hand; `left` rows are past their time. */
const given = (left: number, intake: Intake) => {
  let now = 0;
  let due: { readonly at: number; readonly wake: () => void } | null = null;
  const swept: number[] = [];
  const memory = {
    sweep: () => {
      const some = Math.min(left, sweepLimit);
      left -= some;
      swept.push(now);
      return Promise.resolve(some);
    },
  };
  const alarms = {
    at: (at: number, wake: () => void) => {
      due = { at, wake };
      return () => undefined;
    },
  };
  const problems: unknown[] = [];
  const sweep = new RetentionSweep(memory, {
    alarms,
    clock: { now: () => now },
    report: (problem) => problems.push(problem),
    intake,
  });
  sweep.start();
  return {
    swept,
    problems,
    /** Lets the time come for which the next look is set; answers it. */
    next: async (): Promise<number> => {
      const { at, wake } = due ?? { at: -1, wake: () => undefined };
      now = at;
      wake();
      await new Promise(setImmediate);
      return at;
    },
  };
};

describe('given rows that are past their time', () => {
  it('forgets them part by part, then looks again after a while', async () => {
    const { swept, next } = given(sweepLimit + 1, () => null);
    expect([await next(), await next(), await next()]).toEqual([1_000, 2_000, 2_000 + 10 * minute]);
    expect(swept).toEqual([1_000, 2_000, 2_000 + 10 * minute]);
  });

  it('forgets none while the log takes no further steps, and those once it does', async () => {
    let closed = true;
    const intake: Intake = () => (closed ? { code: 'read_only', message: 'adopt it' } : null);
    const { swept, problems, next } = given(1, intake);
    expect(await next()).toBe(1_000);
    expect([swept, problems]).toEqual([[], []]);
    closed = false;
    expect(await next()).toBe(1_000 + 10 * minute);
    expect(swept).toEqual([1_000 + 10 * minute]);
  });
});
