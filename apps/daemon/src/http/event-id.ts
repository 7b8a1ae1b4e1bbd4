import type { Position } from '@lockstep/engine';

/** The id of a streamed event: log generation and position, so that a stream of another log is noticed. */
export const eventId = (generation: string, position: Position | 'start'): string =>
  `${generation}:${position}`;

export type Resume =
  | { readonly kind: 'after'; readonly position: Position | 'start' }
  /** The client followed another log: it must begin anew. */
  | { readonly kind: 'foreign' };

/** Where a client that last saw this id goes on. */
export const resumeFrom = (lastEventId: string, generation: string): Resume => {
  const at = lastEventId.lastIndexOf(':');
  const position = lastEventId.slice(at + 1);
  if (at < 0 || lastEventId.slice(0, at) !== generation) return { kind: 'foreign' };
  return position === 'start' || /^\d{20}$/.test(position)
    ? { kind: 'after', position }
    : { kind: 'foreign' };
};
