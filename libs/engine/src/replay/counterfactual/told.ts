import type { Content } from '../../events/content.ts';
import { digestOfContent } from '../../turn/evolve-calls.ts';
import { callsOf, type CallState, type OpenTurn } from '../../turn/state.ts';

/** Whether the model is told the same of the calls of its last reply. */
export const isToldTheSame = (then: OpenTurn, now: OpenTurn): boolean => {
  const recorded = callsOf(then);
  const other = callsOf(now);
  return (
    recorded.length === other.length &&
    recorded.every((call, at) => isSame(call, other[at])) &&
    then.steered.length === now.steered.length
  );
};

const isSame = (recorded: CallState, now: CallState | undefined): boolean => {
  if (now === undefined || recorded.status !== now.status || recorded.call !== now.call)
    return false;
  if (recorded.status !== 'ended' || now.status !== 'ended') return true;
  return (
    recorded.isError === now.isError &&
    recorded.truncated === now.truncated &&
    isSameText(recorded.result, now.result)
  );
};

const isSameText = (a: Content, b: Content): boolean =>
  'inline' in a && 'inline' in b
    ? a.inline === b.inline
    : digestOfContent(a) === digestOfContent(b);
