'use client';

import { useEffect, useState } from 'react';
import type { LockstepEvent } from '@lockstep/engine';
import { getJson, messageOf } from '../../lib/api.ts';
import { Id } from '../../ui/Id.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import { Loading } from '../../ui/Notices.tsx';
import { Sheet } from '../../ui/Sheet.tsx';
import { When } from '../../ui/When.tsx';

/** One event of a turn, as it stands in the log. */
export const EventDrawer = ({
  turn,
  event,
  onClose,
}: {
  readonly turn: string;
  readonly event: string | null;
  readonly onClose: () => void;
}) => (
  <Sheet opened={event !== null} onClose={onClose} title="Event">
    {event === null ? null : <OneEvent key={event} turn={turn} id={event} />}
  </Sheet>
);

type Read =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly event: LockstepEvent }
  | { readonly kind: 'failed'; readonly message: string };

const OneEvent = ({ turn, id }: { readonly turn: string; readonly id: string }) => {
  const [read, setRead] = useState<Read>({ kind: 'loading' });
  useEffect(() => {
    const stop = new AbortController();
    findEvent(turn, id, stop.signal).then(
      (event) => {
        setRead(
          event === null
            ? { kind: 'failed', message: 'this turn has no such event' }
            : { kind: 'ready', event },
        );
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setRead({ kind: 'failed', message: messageOf(error) });
      },
    );
    return () => {
      stop.abort();
    };
  }, [turn, id]);
  switch (read.kind) {
    case 'loading':
      return <Loading what="the event" />;
    case 'failed':
      return <p role="alert">{read.message}</p>;
    case 'ready':
      return (
        <>
          <p className="row">
            <strong>{read.event.type}</strong>
            <Id id={read.event.id} what="event" />
            <span className="dim">
              <When at={read.event.time} />, {read.event.stream.split('-', 1)} revision{' '}
              {read.event.revision}, position {Number(read.event.position)}
            </span>
          </p>
          <JsonView value={read.event} label={`JSON of ${read.event.type}`} />
        </>
      );
  }
};

interface EventPage {
  readonly items: readonly LockstepEvent[];
  readonly next: string | null;
}

/** Goes through a turn's events until it is found; a turn has few pages. */
const findEvent = async (
  turn: string,
  id: string,
  signal: AbortSignal,
): Promise<LockstepEvent | null> => {
  let from: string | null = '0';
  while (from !== null) {
    const page: EventPage = await getJson<EventPage>(
      `/v1/turns/${encodeURIComponent(turn)}/events?limit=1000&from=${from}`,
      signal,
    );
    const found = page.items.find((event) => event.id === id);
    if (found !== undefined) return found;
    from = page.next;
  }
  return null;
};
