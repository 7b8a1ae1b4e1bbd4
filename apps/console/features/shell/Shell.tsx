'use client';

import type { ReactNode } from 'react';
import { usePathname } from 'next/navigation';
import { LiveProvider } from '../../lib/live.tsx';
import { PrefsProvider } from '../../lib/prefs.tsx';
import { SessionProvider, useSession } from '../../lib/session.tsx';
import { Loading } from '../../ui/Notices.tsx';
import { SignedOut } from '../session/SignedOut.tsx';
import { WaitingProvider } from '../approvals/waiting.tsx';
import { StopBanner } from '../stop/StopBanner.tsx';
import { StopsProvider } from '../stop/stops.tsx';
import { TopBar } from './TopBar.tsx';
import { DaemonDown } from './DaemonDown.tsx';

/** What stands around every page: who is signed in, what is live, and where one can go. */
export const Shell = ({ children }: { readonly children: ReactNode }) => (
  <PrefsProvider>
    <SessionProvider>
      <LiveProvider>
        <StopsProvider>
          <WaitingProvider>
            <a className="skip" href="#main">
              Skip to the page
            </a>
            <TopBar />
            <DaemonDown />
            <StopBanner />
            <main id="main" tabIndex={-1} style={{ outline: 'none' }}>
              <Gate>{children}</Gate>
            </main>
          </WaitingProvider>
        </StopsProvider>
      </LiveProvider>
    </SessionProvider>
  </PrefsProvider>
);

const Gate = ({ children }: { readonly children: ReactNode }) => {
  const { state } = useSession();
  const path = usePathname();
  if (path === '/signin') return children;
  switch (state.kind) {
    case 'loading':
      return <Loading what="who is signed in" />;
    case 'daemon-down':
      return <Loading what="who is signed in, as soon as the daemon answers" />;
    case 'signed-out':
      return <SignedOut />;
    case 'signed-in':
      return children;
  }
};
