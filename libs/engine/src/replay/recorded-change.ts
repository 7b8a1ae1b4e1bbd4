import type { DataOf, TurnFact } from '../events/event.ts';
import type { Recording } from './recording.ts';

/** What stood in a file before a call is recorded in no fact of its own, only as the change in the view that a person was shown. So
 * that part of a view is taken as recorded; every other word of it is made again and compared. */
export const withRecordedChange = (
  recording: Recording,
  recorded: TurnFact,
  replayed: TurnFact,
): TurnFact => {
  if (recorded.type !== 'ApprovalRequested' || replayed.type !== 'ApprovalRequested')
    return replayed;
  if (!overwrites(recorded.data)) return replayed;
  const shown = recording.textOf(recorded.data.view);
  const made = recording.textOf(replayed.data.view);
  if (!shown.ok || !made.ok || head(shown.value) !== head(made.value)) return replayed;
  return { ...replayed, data: { ...replayed.data, view: recorded.data.view } };
};

const overwrites = ({ facts }: DataOf<'ApprovalRequested'>): boolean =>
  facts.operands.some(
    (operand) => operand.kind === 'path' && operand.access !== 'read' && operand.exists,
  );

/** The view without the change that it shows, and without the count of placeholders that may stand in it. */
const head = (view: string): string => {
  const at = view.indexOf('\nchange:\n');
  const kept = at === -1 ? view : view.slice(0, at);
  return kept.replace(/\nmasked: \d+ secret values stand as placeholders$/, '');
};
