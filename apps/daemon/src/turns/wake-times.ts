import {
  activeAt,
  expiryAt,
  nextDeadline,
  waitsForOthers,
  type OpenTurn,
  type TurnEffect,
} from '@lockstep/engine';
import type { RunnerParts } from './runner-parts.ts';

/** When a resting turn has something to do by itself, in ms since the epoch; `Infinity` = never. */
export interface WakeTimes {
  /** The nearest deadline of an approval or a question. */
  readonly expiry: number;
  /** The end of the turn's active time. */
  readonly timeout: number;
  /** The next try of a model call. */
  readonly retry: number;
}

export const wakeTimes = (
  state: OpenTurn,
  effect: TurnEffect,
  parts: Pick<RunnerParts, 'clock' | 'startedAt'>,
): WakeTimes => {
  const deadline = nextDeadline(state);
  return {
    expiry: deadline === null ? Infinity : expiryAt(deadline, parts.startedAt),
    timeout: timeoutAt(state, parts.clock.now()),
    retry: effect.kind === 'retry-model' ? effect.at : Infinity,
  };
};

const timeoutAt = (state: OpenTurn, now: number): number => {
  const cap = state.policy.budgets.turn_timeout_secs;
  if (cap === 'unlimited' || waitsForOthers(state)) return Infinity;
  return now + cap * 1000 - activeAt(state, now);
};
