import { parseEvent, type EventOf, type LockstepEvent } from './event.ts';

/** The events that a probe's record holds, as they were in the throwaway log. What this build cannot read is left out. */
export const probedEvents = ({ data }: EventOf<'ProbeRecorded'>): readonly LockstepEvent[] =>
  data.events.flatMap((record) => {
    const read = parseEvent(record);
    return read.ok ? [read.event] : [];
  });
