'use client';

import {
  createContext,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import type { LockstepEvent } from '@lockstep/engine';
import { useSession } from './session.tsx';

export type Connection = 'connecting' | 'live' | 'daemon-down';

type Listener = (event: LockstepEvent) => void;

interface Live {
  readonly connection: Connection;
  /** Rises each time the stream begins anew or follows another log: snapshots must be read again. */
  readonly generation: number;
  readonly subscribe: (listener: Listener) => () => void;
}

const LiveContext = createContext<Live | null>(null);
const reopenMs = 1000;

/** One stream of events for the whole console. The browser resumes it with Last-Event-ID; where it gives up, it is opened anew. */
export const LiveProvider = ({ children }: { readonly children: ReactNode }) => {
  const { state, refresh } = useSession();
  const key = state.kind === 'signed-in' ? (state.session.csrf ?? 'token') : null;
  const [connection, setConnection] = useState<Connection>('connecting');
  const [generation, setGeneration] = useState(0);
  const listeners = useRef(new Set<Listener>());
  useEffect(() => {
    if (key === null) return;
    return follow({
      onEvent: (event) => {
        for (const listener of listeners.current) listener(event);
      },
      onConnection: setConnection,
      onRestart: () => {
        setGeneration((n) => n + 1);
      },
      onRefused: refresh,
    });
  }, [key, refresh]);
  const value = useMemo<Live>(
    () => ({
      connection: state.kind === 'daemon-down' ? 'daemon-down' : connection,
      generation,
      subscribe: (listener) => {
        listeners.current.add(listener);
        return () => listeners.current.delete(listener);
      },
    }),
    [connection, generation, state.kind],
  );
  return <LiveContext value={value}>{children}</LiveContext>;
};

interface Follower {
  readonly onEvent: Listener;
  readonly onConnection: (change: (now: Connection) => Connection) => void;
  readonly onRestart: () => void;
  /** The stream was refused, most likely because nobody is signed in any more. */
  readonly onRefused: () => void;
}

const follow = (follower: Follower): (() => void) => {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let fresh = true;
  const open = (): void => {
    const opened = new EventSource('/v1/events/stream?after=end');
    source = opened;
    fresh = true;
    opened.addEventListener('event', (message: MessageEvent<string>) => {
      follower.onEvent(JSON.parse(message.data) as LockstepEvent);
    });
    opened.addEventListener('caught-up', () => {
      // Nothing says what passed before this stream began.
      if (fresh) follower.onRestart();
      fresh = false;
      follower.onConnection(() => 'live');
    });
    opened.addEventListener('reset', () => {
      fresh = true;
    });
    opened.addEventListener('daemon-down', () => {
      follower.onConnection(() => 'daemon-down');
    });
    opened.onerror = () => {
      follower.onConnection((now) => (now === 'live' ? 'connecting' : now));
      if (opened.readyState !== EventSource.CLOSED) return;
      follower.onRefused();
      timer = setTimeout(open, reopenMs);
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
};

/** The live stream of the console.
 * @throws Error outside `LiveProvider` */
export const useLive = (): Live => {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('useLive needs LiveProvider above it');
  return live;
};
