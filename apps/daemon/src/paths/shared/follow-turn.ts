import type { EventStore, LockstepEvent, Position, TurnAnswer } from '@lockstep/engine';
import type { Delta, Turns } from '../../turns/turns.port.ts';

/** What somebody who follows a turn is told, in this order: events of the turn and of all that it started, text while it is made. */
export type Followed =
  | { readonly kind: 'event'; readonly event: LockstepEvent }
  | { readonly kind: 'delta'; readonly delta: Delta };

/** One turn to follow. */
export interface FollowOptions {
  readonly turn: string;
  readonly session: string;
  /** Events after this position are told. */
  readonly after: Position | 'start';
  /** Whether text is told while it is made. */
  readonly deltas: boolean;
  /** Aborted: nothing more is told. */
  readonly signal: AbortSignal;
}

/** Tells of a turn until it has ended.
 * @returns how it ended, or as it stands when the signal aborts first; null when there is no such turn */
export const followTurn = async (
  parts: { readonly store: EventStore; readonly turns: Turns },
  { turn, session, after, deltas, signal }: FollowOptions,
  tell: (followed: Followed) => void,
): Promise<TurnAnswer | null> => {
  const stopDeltas = deltas
    ? parts.turns.deltas(turn, (delta) => {
        if (!signal.aborted) tell({ kind: 'delta', delta });
      })
    : () => undefined;
  const subscription = parts.store.subscribe({ after });
  const stop = (): void => void subscription.return?.();
  signal.addEventListener('abort', stop);
  try {
    if (!signal.aborted)
      for await (const message of subscription) {
        if (signal.aborted) break;
        if (message.kind === 'caught-up') continue;
        const { event } = message;
        if (event.meta.turn === turn || event.meta.root === turn) tell({ kind: 'event', event });
        if (ends(event, turn, session)) break;
      }
  } finally {
    signal.removeEventListener('abort', stop);
    stopDeltas();
  }
  return parts.turns.answer(turn);
};

/** Whether this event is the end of the turn; one that is taken back before it begins ends in its session's stream. */
export const ends = (event: LockstepEvent, turn: string, session: string): boolean => {
  if (event.stream === session)
    return event.type === 'MessageDropped' && event.meta.turn === turn;
  return event.stream === `turn-${turn}` && endTypes.has(event.type);
};

const endTypes: ReadonlySet<string> = new Set([
  'TurnCompleted',
  'TurnFailed',
  'TurnCancelled',
  'TurnRefused',
]);
