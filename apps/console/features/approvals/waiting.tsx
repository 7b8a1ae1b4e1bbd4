'use client';

import { createContext, useContext, useMemo, type ReactNode } from 'react';
import type { InboxRow } from '@lockstep/engine';
import { useSession } from '../../lib/session.tsx';
import { useSnapshot } from '../../lib/use-snapshot.ts';
import { foldWaiting, waitingOf, type Waiting } from './waiting.logic.ts';

const nobody: readonly InboxRow[] = [];
const WaitingContext = createContext<Waiting>({ count: 0, oldest: null });
const InboxContext = createContext<readonly InboxRow[]>(nobody);

/** How much waits for a person, on every page. */
export const WaitingProvider = ({ children }: { readonly children: ReactNode }) => {
  const { state } = useSession();
  const { resource } = useSnapshot<{ readonly items: readonly InboxRow[] }>(
    state.kind === 'signed-in' ? '/v1/approvals?limit=500' : null,
    (now, event) => ({ ...now, items: foldWaiting(now.items, event) }),
  );
  const items = resource.kind === 'ready' ? resource.value.items : nobody;
  const value = useMemo(() => waitingOf(items), [items]);
  return (
    <InboxContext value={items}>
      <WaitingContext value={value}>{children}</WaitingContext>
    </InboxContext>
  );
};

export const useWaiting = (): Waiting => useContext(WaitingContext);

/** The requests that wait for a person, as far as the reader may see them. */
export const useInbox = (): readonly InboxRow[] => useContext(InboxContext);
