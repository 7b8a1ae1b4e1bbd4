import type { CommandOf } from '../commands.ts';
import { nothing, record, type Decision } from '../decision.ts';
import type { OpenTurn } from '../state.ts';

/** What memory gives unasked is recorded once, before the first model call. */
export const recallMemory = ({ recalled }: CommandOf<'RecallMemory'>, state: OpenTurn): Decision =>
  state.recalled !== null || state.totals.modelCalls > 0
    ? nothing
    : record([{ type: 'MemoryRecalled', data: { ...recalled, by: 'auto', call: null } }]);
