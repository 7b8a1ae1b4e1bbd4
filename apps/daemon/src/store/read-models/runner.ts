import type { EventType, LockstepEvent } from '@lockstep/engine';

/** One projection at work. */
export interface Runner {
  readonly name: string;
  /** Last position folded. */
  readonly position: number;
  readonly failure: ProjectionFailure | null;
  /** Folds a page of events, in order; those at or below its position are passed over. `upTo` is the last position looked at. */
  fold(events: readonly LockstepEvent[], upTo: number): void;
  /** Writes what the page changed; called inside one transaction for all runners. */
  save(force: boolean): void;
  /** The transaction of the last `save` went through, or did not. */
  saved(ok: boolean): void;
}

/** A bug of a projection: it stops, the others go on. */
export interface ProjectionFailure {
  readonly position: string;
  readonly message: string;
}

/** What a failing fold says, with the event it failed on. */
export const failureAt = (event: LockstepEvent, error: unknown): ProjectionFailure => ({
  position: event.position,
  message: `cannot fold \`${event.type}\` of \`${event.stream}\`: ${
    error instanceof Error ? error.message : String(error)
  }`,
});

/** Whether a projection folds events of a type. */
export const wanted = (types: readonly EventType[] | 'all'): ((type: EventType) => boolean) => {
  if (types === 'all') return () => true;
  const set: ReadonlySet<EventType> = new Set(types);
  return (type) => set.has(type);
};
