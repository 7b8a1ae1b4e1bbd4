import { readFileSync } from 'node:fs';
import { readHistory, type LockstepEvent } from '@lockstep/engine';

/** Events of a recorded history, in order. */
export const eventsIn = (file: URL): readonly LockstepEvent[] => {
  const read = readHistory(readFileSync(file, 'utf8'));
  if (!read.ok) throw new Error(`${file.pathname}: ${JSON.stringify(read.problems[0])}`);
  return read.events;
};

/** Turns of the demo, as they were recorded once. Never edited: what an older build recorded must come out the same for ever. */
export const demoEvents = (path: 'gateway' | 'loop'): readonly LockstepEvent[] =>
  eventsIn(new URL(`fixtures/demo-${path}.jsonl`, import.meta.url));

/** The first turn with this input. */
export const turnOf = (events: readonly LockstepEvent[], input: string): string => {
  const event = events.find(
    (one) =>
      one.type === 'TurnRequested' && 'inline' in one.data.input && one.data.input.inline === input,
  );
  if (event === undefined) throw new Error(`no turn with the input \`${input}\``);
  return event.stream.slice('turn-'.length);
};
