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
  const take = (event: LockstepEvent): 'more' | 'enough' => {
    if (event.meta.turn === turn || event.meta.root === turn) tell({ kind: 'event', event });
    return ends(event, turn, session) ? 'enough' : 'more';
  };
  try {
    if (!(await isOver(parts.turns, turn, after))) await pump(parts.store, { after, signal }, take);
  } finally {
    stopDeltas();
  }
  return parts.turns.answer(turn);
};

/** What came last is behind the place to go on from: nothing more comes. */
const isOver = async (turns: Turns, turn: string, after: Position | 'start'): Promise<boolean> => {
  const answer = await turns.answer(turn);
  if (answer === null) return true;
  return hasEnded(answer) && after !== 'start' && after >= answer.position;
};

export const hasEnded = ({ status }: TurnAnswer): boolean =>
  status !== 'queued' && status !== 'running' && status !== 'waiting';

const pump = async (
  store: EventStore,
  { after, signal }: { readonly after: Position | 'start'; readonly signal: AbortSignal },
  take: (event: LockstepEvent) => 'more' | 'enough',
): Promise<void> => {
  if (signal.aborted) return;
  const subscription = store.subscribe({ after });
  const stop = (): void => void subscription.return?.();
  signal.addEventListener('abort', stop);
  try {
    for await (const message of subscription) {
      if (message.kind === 'event' && take(message.event) === 'enough') break;
    }
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

/** Whether this event is the end of the turn; one that is taken back before it begins ends in its session's stream. */
export const ends = (event: LockstepEvent, turn: string, session: string): boolean => {
  if (event.stream === session) return event.type === 'MessageDropped' && event.meta.turn === turn;
  return event.stream === `turn-${turn}` && endTypes.has(event.type);
};

const endTypes: ReadonlySet<string> = new Set([
  'TurnCompleted',
  'TurnFailed',
  'TurnCancelled',
  'TurnRefused',
]);
