'use client';

import { useEffect, useState } from 'react';
import type { LockstepEvent } from '@lockstep/engine';
import { getJson } from '../../lib/api.ts';
import { argumentsOf } from './edit.logic.ts';
import type { Request } from './approvals.logic.ts';

interface EventPage {
  readonly items: readonly LockstepEvent[];
  readonly next: string | null;
}

/** The arguments that the model gave the call of a request; null until they are read, and where the reader's role does not show them. */
export const useCallArguments = (row: Request | null): Readonly<Record<string, unknown>> | null => {
  const [args, setArgs] = useState<Readonly<Record<string, unknown>> | null>(null);
  const [turn, call] = [row?.turn ?? null, row?.call ?? null];
  useEffect(() => {
    if (turn === null || call === null) return;
    const stop = new AbortController();
    readArguments(turn, call, stop.signal).then(
      (read) => {
        if (!stop.signal.aborted) setArgs(read);
      },
      () => undefined,
    );
    return () => {
      stop.abort();
    };
  }, [turn, call]);
  return args;
};

const readArguments = async (
  turn: string,
  call: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | null> => {
  let from: string | null = '0';
  while (from !== null) {
    const page: EventPage = await getJson<EventPage>(
      `/v1/turns/${encodeURIComponent(turn)}/events?limit=1000&from=${from}`,
      signal,
    );
    const found = argumentsOf(page.items, call);
    if (found !== null) return found;
    from = page.next;
  }
  return null;
};
