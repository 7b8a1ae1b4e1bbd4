import type { PendingRecord } from '../ports/ledger.ts';
import { dropRow, setRow, type LedgerState } from './ledger-state.ts';

/** How many decided approvals and questions stay known; older ones are found in the read models. */
export const decidedLimit = 10_000;

/** Moves a request from the pending ones to the decided ones; none is left alone. */
export const settle = (state: LedgerState, pending: PendingRecord | undefined): void => {
  if (pending === undefined) return;
  dropRow(state, 'pending', pending.id);
  setRow(state, 'decided', pending.id, { ...pending, state: 'decided' });
  const oldest = state.rows.decided.keys().next();
  if (state.rows.decided.size > decidedLimit && oldest.done !== true)
    dropRow(state, 'decided', oldest.value);
};
