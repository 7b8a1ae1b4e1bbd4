import type { Position } from '../events/envelope.ts';
import type { LockstepEvent, NewEvent } from '../events/event.ts';

/** What the writer adds to one event. */
export interface Stamp {
  readonly position: number;
  readonly revision: number;
  readonly time: number;
  readonly agentSeq: number | null;
  readonly epoch: number;
}

/** Position as 20 zero-padded digits, so that order as a string is order in the log. */
export const positionOf = (n: number): Position => String(n).padStart(20, '0');

/** The number in a position; `start` is 0. */
export const numberOf = (position: Position | 'start'): number =>
  position === 'start' ? 0 : Number(position);

/** The event as readers see it. */
export const stampedEvent = (event: NewEvent, stream: string, stamp: Stamp): LockstepEvent => ({
  ...event,
  stream,
  revision: stamp.revision,
  position: positionOf(stamp.position),
  time: stamp.time,
  meta: { ...event.meta, epoch: stamp.epoch, agentSeq: stamp.agentSeq },
});
