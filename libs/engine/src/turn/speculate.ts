import type { TurnFact } from '../events/event.ts';
import { evolveAll } from './evolve.ts';
import type { OpenTurn, TurnState } from './state.ts';

/** The state as it will be once these facts are recorded at about `now`. For deciding only: what is recorded is folded again with
 * the writer's time. */
export const speculate = (state: OpenTurn, facts: readonly TurnFact[], now: number): TurnState =>
  evolveAll(
    state,
    facts.map((fact) => ({ ...fact, time: now, meta: { daemon: state.time.daemon } })),
  );

export const isOpen = (state: TurnState): state is OpenTurn => state.status === 'open';
