import {
  evolve,
  initialState,
  pastTurn,
  textFrom,
  type Artifacts,
  type ConversationTurn,
  type EventStore,
  type RecordedFact,
  type TurnState,
} from '@lockstep/engine';
import { hydrate, loadTexts, type Texts } from './turn-contents.ts';

/** Reads a turn back from its stream.
 * @returns `none` as status when there is no such stream */
export const readTurn = async (
  parts: { readonly store: EventStore; readonly artifacts: Artifacts },
  turn: string,
  texts: Texts,
): Promise<TurnState> => {
  let state = initialState(turn);
  for (const event of await parts.store.readStream(`turn-${turn}`)) {
    const fact: RecordedFact = await hydrate(event, parts.artifacts, texts);
    state = evolve(state, fact);
  }
  return state;
};

/** Earlier turns of sessions as later turns see them. Ended turns never change, so what was read once is kept. */
export class PastTurns {
  readonly #parts: { readonly store: EventStore; readonly artifacts: Artifacts };
  readonly #known = new Map<string, ConversationTurn | null>();

  constructor(parts: { readonly store: EventStore; readonly artifacts: Artifacts }) {
    this.#parts = parts;
  }

  /** Oldest first; turns that leave nothing in a conversation are left out. */
  async of(turns: readonly string[]): Promise<readonly ConversationTurn[]> {
    const found: ConversationTurn[] = [];
    for (const turn of turns) {
      const past = await this.#one(turn);
      if (past !== null) found.push(past);
    }
    return found;
  }

  async #one(turn: string): Promise<ConversationTurn | null> {
    const known = this.#known.get(turn);
    if (known !== undefined) return known;
    const texts: Texts = new Map();
    const state = await readTurn(this.#parts, turn, texts);
    await loadTexts(state, this.#parts.artifacts, texts);
    const past = pastTurn(turn, state, textFrom(texts));
    if (state.status === 'ended') this.#keep(turn, past);
    return past;
  }

  #keep(turn: string, past: ConversationTurn | null): void {
    const oldest = this.#known.keys().next();
    if (this.#known.size >= keptTurns && oldest.done !== true) this.#known.delete(oldest.value);
    this.#known.set(turn, past);
  }
}

const keptTurns = 1_000;
