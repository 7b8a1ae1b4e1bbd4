import {
  activeAt,
  expiryAt,
  nextDeadline,
  timeCaps,
  waitsForOthers,
  type CapUse,
  type OpenTurn,
  type TurnEffect,
} from '@lockstep/engine';
import type { RunnerParts } from './runner-parts.ts';

/** When a resting turn has something to do by itself, in ms since the epoch; `Infinity` = never. */
export interface WakeTimes {
  /** The nearest deadline of an approval or a question. */
  readonly expiry: number;
  /** The end of active time, the turn's own or that of one above it, as long as no more turns use it up than now. */
  readonly timeout: number;
  /** The next try of a model call. */
  readonly retry: number;
}

export const wakeTimes = (
  state: OpenTurn,
  effect: TurnEffect,
  parts: Pick<RunnerParts, 'clock' | 'startedAt'> & {
    readonly spending: Pick<RunnerParts['spending'], 'activeIn'>;
    /** Caps of active time beside the turn's own stream. */
    readonly times: readonly CapUse[];
  },
): WakeTimes => {
  const deadline = nextDeadline(state);
  return {
    expiry: deadline === null ? Infinity : expiryAt(deadline, parts.startedAt),
    timeout: timeoutAt(state, parts),
    retry: effect.kind === 'retry-model' ? effect.at : Infinity,
  };
};

/** Whoever joins in using up the time of a turn looks for itself, so nobody who sleeps need look again for that. */
const timeoutAt = (state: OpenTurn, parts: Parameters<typeof wakeTimes>[2]): number => {
  if (waitsForOthers(state)) return Infinity;
  const now = parts.clock.now();
  if (parts.times.length === 0) {
    const cap = state.policy.budgets.turn_timeout_secs;
    return cap === 'unlimited' ? Infinity : now + cap * 1000 - activeAt(state, now);
  }
  const ends = timeCaps(state, parts.times, now).map(({ cap, used, scope }) =>
    cap === 'unlimited' || used === 'unknown'
      ? Infinity
      : now + ((cap - used) * 1000) / parts.spending.activeIn(scope),
  );
  return Math.min(Infinity, ...ends);
};
