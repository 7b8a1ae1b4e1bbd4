import type { TurnFact } from '../events/event.ts';
import { closeOpenItems, completeTurn, endWithout, inlineText } from './ending.ts';
import { isLastWord } from './model-step.ts';
import { isOpen, speculate } from './speculate.ts';
import { callsOf, lastStep, type OpenTurn } from './state.ts';

/** These facts, and the end of the turn where they bring it: after the last running tool of a turn that must end, and after the
 * refusals of a last step that was offered no tools. */
export const finishIfDue = (
  state: OpenTurn,
  facts: readonly TurnFact[],
  now: number,
): readonly TurnFact[] => {
  if (!mayEnd(state, facts)) return facts;
  const after = speculate(state, facts, now);
  return isOpen(after) && isFinishDue(after) ? [...facts, ...finish(after, now)] : facts;
};

/** Whether these facts can bring the end at all: most do not, and need no look ahead. */
const mayEnd = (state: OpenTurn, facts: readonly TurnFact[]): boolean =>
  state.ending !== null ||
  state.final ||
  facts.some((fact) => fact.type === 'BudgetExhausted' || fact.type === 'LoopDetected');

/** Nothing is left to do but to end the turn. */
export const isFinishDue = (state: OpenTurn): boolean => {
  const calls = callsOf(state);
  if (state.model.kind === 'calling') return false;
  if (state.ending !== null)
    return calls.every((call) => call.status !== 'running' || call.question !== null);
  return isLastWord(state) && calls.every((call) => call.status === 'ended');
};

/** The facts that end the turn, open items closed first. */
export const finish = (state: OpenTurn, now: number): readonly TurnFact[] => {
  const { ending } = state;
  if (ending === null) {
    const text = inlineText(lastStep(state)?.text ?? { inline: '' });
    return [completeTurn(state, { text, masked: placeholders(text) }, now)];
  }
  const cancelled = ending.code === 'cancelled';
  const close = closeOpenItems(state, {
    reason: cancelled ? 'turn_cancelled' : 'turn_ended',
    why: cancelled ? ending.data.why : 'the turn ended',
  });
  return [...close, endWithout(state, ending, now)];
};

/** Placeholders of masked secrets in a text. */
const placeholders = (text: string): number =>
  text.match(/«(?:secret|sealed):[^»]+»/gu)?.length ?? 0;
