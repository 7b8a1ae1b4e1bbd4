import { pastTurn, textFrom, type ConversationTurn } from '../context/conversation.ts';
import type { Content } from '../events/content.ts';
import type { LockstepEvent } from '../events/event.ts';
import { initialState, type TurnState } from '../turn/state.ts';
import type { Engine } from './engine.ts';
import { fed, missing, type Fed } from './fed.ts';
import type { Recording } from './recording.ts';

/** Earlier turns of a session as a later turn's model sees them, from their recorded events. */
export interface Past {
  of(turns: readonly string[]): Fed<readonly ConversationTurn[]>;
}

/** A fresh memory over a recording: each earlier turn is read once. */
export const pastOf = (recording: Recording, engine: Engine): Past => {
  const known = new Map<string, Fed<ConversationTurn | null>>();
  const one = (turn: string): Fed<ConversationTurn | null> => {
    const found = known.get(turn) ?? readTurn(recording, engine, turn);
    known.set(turn, found);
    return found;
  };
  return {
    of: (turns) => {
      const found: ConversationTurn[] = [];
      for (const turn of turns) {
        const past = one(turn);
        if (!past.ok) return past;
        if (past.value !== null) found.push(past.value);
      }
      return fed(found);
    },
  };
};

const readTurn = (
  recording: Recording,
  engine: Engine,
  turn: string,
): Fed<ConversationTurn | null> => {
  const events = recording.stream(`turn-${turn}`);
  if (events.length === 0) return missing(`the turn \`${turn}\` of the session's history`);
  let state: TurnState = initialState(turn);
  for (const event of events) {
    const fact = recording.hydrated(event);
    if (!fact.ok) return fact;
    const loaded = loadTexts(recording, event);
    if (!loaded.ok) return loaded;
    state = engine.evolve(state, fact.value);
  }
  return fed(pastTurn(turn, state, textFrom(recording.texts)));
};

/** Looks up every text that messages may be built from. */
export const loadTexts = (recording: Recording, event: LockstepEvent): Fed<null> => {
  for (const content of messageTexts(event))
    if ('artifact' in content) {
      const text = recording.text(content.artifact);
      if (!text.ok) return text;
    }
  return fed(null);
};

const messageTexts = (event: LockstepEvent): readonly Content[] => {
  if (event.type === 'TurnRequested')
    return [event.data.input, ...(event.data.earlier ?? []).map((one) => one.text)];
  if (event.type === 'MemoryRecalled' && event.data.by === 'auto')
    return event.data.rows.map((row) => row.text);
  if (event.type === 'TurnSteered') return [event.data.text];
  if (event.type === 'ToolCallCompleted') return [event.data.result];
  if (event.type !== 'ModelCallCompleted') return [];
  return [event.data.text, ...event.data.calls.map((call) => call.args)];
};
