'use client';

import { useEffect, useState } from 'react';
import type { LockstepEvent } from '@lockstep/engine';
import { ApiProblem, getJson, messageOf, sendJson } from '../../lib/api.ts';
import type { Resource } from '../../lib/use-snapshot.ts';
import type { ReplayAnswer } from './replay.logic.ts';

/** A replay, with the events of the turn that it was made of. */
export interface Replayed {
  readonly answer: ReplayAnswer;
  readonly events: readonly LockstepEvent[];
}

/** Has the daemon replay a turn; `body` null = not yet. Each other body is another replay; `round` asks for the same again. */
export const useReplay = (
  turn: string,
  body: Readonly<Record<string, unknown>> | null,
  round: number,
): Resource<Replayed> => {
  const wanted = body === null ? null : JSON.stringify(body);
  const key = `${round} ${wanted ?? ''}`;
  const [read, setRead] = useState<{ readonly key: string; readonly is: Resource<Replayed> }>();
  useEffect(() => {
    if (wanted === null) return;
    const stop = new AbortController();
    replayed(turn, wanted, stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) setRead({ key, is: { kind: 'ready', value } });
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        const code = error instanceof ApiProblem ? error.code : 'unknown';
        setRead({ key, is: { kind: 'failed', code, message: messageOf(error) } });
      },
    );
    return () => {
      stop.abort();
    };
  }, [turn, wanted, key]);
  return read?.key === key ? read.is : { kind: 'loading' };
};

const replayed = async (turn: string, wanted: string, signal: AbortSignal): Promise<Replayed> => {
  const body = JSON.parse(wanted) as object;
  const answer = await sendJson<ReplayAnswer>('POST', '/v1/replays', body);
  if (answer === null) throw new ApiProblem(502, 'unknown', 'the daemon answered nothing');
  const needsEvents = answer.outcome === 'same' || answer.outcome === 'diverged';
  return { answer, events: needsEvents ? await eventsOf(turn, signal) : [] };
};

interface EventPage {
  readonly items: readonly LockstepEvent[];
  readonly next: string | null;
}

const eventsOf = async (turn: string, signal: AbortSignal): Promise<readonly LockstepEvent[]> => {
  const all: LockstepEvent[] = [];
  let from: string | null = '0';
  while (from !== null) {
    const page: EventPage = await getJson<EventPage>(
      `/v1/turns/${encodeURIComponent(turn)}/events?limit=1000&from=${from}`,
      signal,
    );
    all.push(...page.items);
    from = page.next;
  }
  return all;
};
