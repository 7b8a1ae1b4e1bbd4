'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import type { LockstepEvent } from '@lockstep/engine';
import { ApiProblem, getJson } from './api.ts';
import { useLive } from './live.tsx';

export type Resource<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly value: T }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

/** What an event does to a snapshot: a new one, the same one, or a reason to ask the daemon again. */
export type Take<T> = (now: T, event: LockstepEvent) => T | 'read again';

export interface Snapshot<T> {
  readonly resource: Resource<T>;
  readonly reload: () => void;
  readonly change: (how: (now: T) => T) => void;
}

const settleMs = 120;

/** A snapshot from the daemon, kept current: events fold into it, and those that came while it was read fold in after it. Several
 * events that ask for a new reading within a moment are one reading. Folding the same event twice must change nothing. */
export const useSnapshot = <T>(
  path: string | null,
  take: Take<T>,
  merge: (before: T, read: T) => T = (_before, read) => read,
): Snapshot<T> => {
  const [resource, setResource] = useState<Resource<T>>({ kind: 'loading' });
  const { subscribe, generation, connection } = useLive();
  const down = connection === 'daemon-down';
  const ways = useRef({ take, merge });
  useEffect(() => {
    ways.current = { take, merge };
  });
  const pull = useRef<() => void>(() => undefined);
  useEffect(() => {
    if (path === null || down) return;
    const reader = readAgainAndAgain<T>(path, (next) => {
      setResource((now) => settle(now, next, ways.current));
    });
    pull.current = reader.pull;
    const leave = subscribe((event) => {
      reader.keep(event);
      setResource((now) => {
        if (now.kind !== 'ready') return now;
        const taken = ways.current.take(now.value, event);
        if (taken === 'read again') {
          reader.pull();
          return now;
        }
        return taken === now.value ? now : { kind: 'ready', value: taken };
      });
    });
    return () => {
      leave();
      reader.stop();
    };
  }, [path, subscribe, generation, down]);
  const reload = useCallback(() => {
    pull.current();
  }, []);
  const change = useCallback((how: (now: T) => T) => {
    setResource((now) => (now.kind === 'ready' ? { kind: 'ready', value: how(now.value) } : now));
  }, []);
  return { resource, reload, change };
};

/** A snapshot that is read again when an event concerns it. */
export const useResource = <T>(
  path: string | null,
  concerns: (event: LockstepEvent) => boolean,
): Snapshot<T> => useSnapshot<T>(path, (now, event) => (concerns(event) ? 'read again' : now));

interface Reading<T> {
  readonly read: Resource<T>;
  /** Events that came while it was read. */
  readonly since: readonly LockstepEvent[];
}

const readAgainAndAgain = <T>(path: string, onRead: (reading: Reading<T>) => void) => {
  const stopped = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let since: LockstepEvent[] | null = null;
  let again = false;
  const wantedAgain = (): boolean => again;
  const read = async (): Promise<void> => {
    if (since !== null) {
      again = true;
      return;
    }
    since = [];
    again = false;
    const next = await readResource<T>(path, stopped.signal);
    const came = since;
    since = null;
    if (next === null) return;
    onRead({ read: next, since: came });
    if (wantedAgain()) void read();
  };
  void read();
  return {
    keep: (event: LockstepEvent): void => {
      since?.push(event);
    },
    pull: (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => void read(), settleMs);
    },
    stop: (): void => {
      stopped.abort();
      clearTimeout(timer);
    },
  };
};

/** While the daemon is down, what was last known stays on the screen. */
const settle = <T>(
  now: Resource<T>,
  { read, since }: Reading<T>,
  ways: { readonly take: Take<T>; readonly merge: (before: T, read: T) => T },
): Resource<T> => {
  if (read.kind === 'failed') {
    const passing = read.code === 'daemon_down' || read.code === 'unauthenticated';
    return passing && now.kind === 'ready' ? now : read;
  }
  if (read.kind === 'loading') return now;
  const start = now.kind === 'ready' ? ways.merge(now.value, read.value) : read.value;
  const value = since.reduce<T>((folded, event) => {
    const taken = ways.take(folded, event);
    return taken === 'read again' ? folded : taken;
  }, start);
  return { kind: 'ready', value };
};

const readResource = async <T>(path: string, signal: AbortSignal): Promise<Resource<T> | null> => {
  try {
    return { kind: 'ready', value: await getJson<T>(path, signal) };
  } catch (error) {
    if (signal.aborted) return null;
    if (error instanceof ApiProblem)
      return { kind: 'failed', code: error.code, message: error.message };
    return { kind: 'failed', code: 'daemon_down', message: 'the console does not answer' };
  }
};
