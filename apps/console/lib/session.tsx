'use client';

import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  type ReactNode,
} from 'react';
import { ApiProblem, getSession, onSignedOut, type Session } from './api.ts';

export type SessionState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'signed-in'; readonly session: Session }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'daemon-down' };

interface SessionContextValue {
  readonly state: SessionState;
  readonly refresh: () => void;
}

const SessionContext = createContext<SessionContextValue | null>(null);
const retryMs = 1500;

/** Who is signed in, asked again until the daemon answers. While it is down, who was signed in stays so. */
export const SessionProvider = ({ children }: { readonly children: ReactNode }) => {
  const [state, setState] = useState<SessionState>({ kind: 'loading' });
  const [round, setRound] = useState(0);
  const refresh = useCallback(() => {
    setRound((n) => n + 1);
  }, []);
  useEffect(() => {
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      const next = await readSession();
      if (gone) return;
      setState((now) =>
        next.kind === 'daemon-down' && now.kind === 'signed-in' ? now : keepSame(now, next),
      );
      if (next.kind === 'daemon-down') timer = setTimeout(() => void ask(), retryMs);
    };
    void ask();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [round]);
  useEffect(() => onSignedOut(refresh), [refresh]);
  const value = useMemo(() => ({ state, refresh }), [state, refresh]);
  return <SessionContext value={value}>{children}</SessionContext>;
};

const keepSame = (now: SessionState, next: SessionState): SessionState =>
  now.kind === 'signed-in' && next.kind === 'signed-in' && now.session.csrf === next.session.csrf
    ? now
    : next;

const readSession = async (): Promise<SessionState> => {
  try {
    const session = await getSession();
    return session === null ? { kind: 'signed-out' } : { kind: 'signed-in', session };
  } catch (error) {
    if (error instanceof ApiProblem && error.status < 500 && error.status !== 429)
      return { kind: 'signed-out' };
    return { kind: 'daemon-down' };
  }
};

/** The state of signing in.
 * @throws Error outside `SessionProvider` */
export const useSession = (): SessionContextValue => {
  const value = useContext(SessionContext);
  if (value === null) throw new Error('useSession needs SessionProvider above it');
  return value;
};

/** Whether who is signed in holds one of the roles. It only hides what the daemon would refuse. */
export const useHolds = (...roles: readonly ('auditor' | 'operator' | 'approver')[]): boolean => {
  const { state } = useSession();
  if (state.kind !== 'signed-in') return false;
  const held = state.session.roles;
  return held.includes('admin') || roles.some((role) => held.includes(role));
};
