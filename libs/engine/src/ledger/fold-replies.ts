import type { DataOf, EventOf, LockstepEvent } from '../events/event.ts';
import { dropRow, setRow, type LedgerState } from './ledger-state.ts';

const turnOf = (event: LockstepEvent): string =>
  event.meta.turn ?? event.stream.replace(/^turn-/, '');

/** A message of a channel was accepted: its reply is owed from here on. */
export const oweReply = (
  state: LedgerState,
  session: string,
  { turn, replyTo }: DataOf<'MessageAccepted'>,
): void => {
  if (replyTo === undefined) return;
  setRow(state, 'owedReplies', turn, {
    turn,
    session,
    to: replyTo,
    ended: false,
    sending: null,
    attempts: 0,
    retryAt: null,
  });
};

/** The turn has ended: there is a reply now. */
export const endReply = (state: LedgerState, turn: string): void => {
  const owed = state.rows.owedReplies.get(turn);
  if (owed !== undefined) setRow(state, 'owedReplies', turn, { ...owed, ended: true });
};

/** Nothing is owed any more. */
export const settleReply = (state: LedgerState, turn: string): void => {
  dropRow(state, 'owedReplies', turn);
};

/** How far deliveries have come. */
export const replyFolds = {
  ReplyDeliveryStarted: (state: LedgerState, event: EventOf<'ReplyDeliveryStarted'>): void => {
    const owed = state.rows.owedReplies.get(turnOf(event));
    if (owed === undefined) return;
    const { delivery, attempt } = event.data;
    const sending = { delivery, attempt, since: event.time };
    setRow(state, 'owedReplies', owed.turn, { ...owed, sending, attempts: attempt });
  },
  ReplyDelivered: (state: LedgerState, event: EventOf<'ReplyDelivered'>): void => {
    settleReply(state, turnOf(event));
  },
  ReplyDeliveryFailed: (state: LedgerState, event: EventOf<'ReplyDeliveryFailed'>): void => {
    const turn = turnOf(event);
    const owed = state.rows.owedReplies.get(turn);
    if (owed === undefined) return;
    const { retryAt } = event.data;
    if (retryAt === null) settleReply(state, turn);
    else setRow(state, 'owedReplies', turn, { ...owed, sending: null, retryAt });
  },
};
