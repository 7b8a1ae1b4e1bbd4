import { approvalsInbox, type InboxRow, type LockstepEvent } from '@lockstep/engine';

export interface Waiting {
  readonly count: number;
  /** When the oldest request was made, or null when none waits. */
  readonly oldest: number | null;
}

/** Requests after one more event, in the order they stood; a new one stands last. What is decided stays, with its end. */
export const foldInbox = (rows: readonly InboxRow[], event: LockstepEvent): readonly InboxRow[] => {
  const key = approvalsInbox.keyOf(event);
  if (key === null) return rows;
  const known = rows.find(({ id }) => id === key) ?? null;
  const next = approvalsInbox.fold(known, event);
  if (next === null || next === known) return rows;
  return known === null ? [...rows, next] : rows.map((row) => (row === known ? next : row));
};

/** Requests that still wait after one more event. */
export const foldWaiting = (
  rows: readonly InboxRow[],
  event: LockstepEvent,
): readonly InboxRow[] => {
  const next = foldInbox(rows, event);
  return next === rows ? rows : next.filter(({ state }) => state === 'pending');
};

export const waitingOf = (rows: readonly InboxRow[]): Waiting => ({
  count: rows.length,
  oldest: rows.length === 0 ? null : Math.min(...rows.map(({ askedAt }) => askedAt)),
});
