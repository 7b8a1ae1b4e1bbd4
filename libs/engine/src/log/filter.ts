import type { LockstepEvent } from '../events/event.ts';
import type { EventFilter } from '../ports/event-store.ts';

/** Whether an event passes a filter; an absent filter or condition passes everything. */
export const matchesFilter = (filter: EventFilter | undefined, event: LockstepEvent): boolean =>
  filter === undefined ||
  ((filter.types === undefined || filter.types.includes(event.type)) &&
    (filter.streams === undefined || filter.streams.includes(event.stream)) &&
    (filter.streamPrefix === undefined || event.stream.startsWith(filter.streamPrefix)) &&
    (filter.agent === undefined || event.meta.agent === filter.agent));
