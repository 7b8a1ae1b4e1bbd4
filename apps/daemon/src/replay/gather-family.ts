import type { LockstepEvent } from '@lockstep/engine';
import { gatherHistory, type Streams } from './gather-history.ts';

/** The history of a turn with that of the turns above it: another policy is theirs first, and comes down from them.
 * @returns empty when there is no such turn */
export const gatherFamily = async (
  store: Streams,
  turn: string,
): Promise<readonly LockstepEvent[]> => {
  let top = turn;
  const seen = new Set<string>();
  // A log that was tampered with may lead in a circle.
  while (!seen.has(top)) {
    seen.add(top);
    const [first] = await store.readStream(`turn-${top}`, { limit: 1 });
    const parent = first?.type === 'TurnRequested' ? first.data.records.parent?.turn : undefined;
    if (
      parent === undefined ||
      (await store.readStream(`turn-${parent}`, { limit: 1 })).length === 0
    )
      break;
    top = parent;
  }
  const events = await gatherHistory(store, top);
  // A turn that its starter's log does not name is gathered for itself.
  return events.some(({ stream }) => stream === `turn-${turn}`)
    ? events
    : gatherHistory(store, turn);
};
