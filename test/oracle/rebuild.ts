import { expect } from 'vitest';
import type { World } from './harness.ts';
import { rebuildTurn, recordedLog } from './recorded-log.ts';

/** Holds one recorded turn to what must be true of every turn, and to what ran: its fold is the state that the runner held. */
export const checkTurn = (w: World, turn: string): Promise<void> => {
  const { state } = rebuildTurn(recordedLog(w.memory.events()), turn);
  expect(w.lastStates.get(turn), 'the fold of the log is what ran').toEqual(state);
  return Promise.resolve();
};
