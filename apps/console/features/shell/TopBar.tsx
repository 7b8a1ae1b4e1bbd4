'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useState } from 'react';
import { useHotkeys } from '@mantine/hooks';
import { age } from '../../lib/format.ts';
import { useLive, type Connection } from '../../lib/live.tsx';
import { useSession } from '../../lib/session.tsx';
import { useNow } from '../../lib/use-now.ts';
import { useWaiting } from '../approvals/waiting.tsx';
import { StopButton } from '../stop/StopButton.tsx';
import { KeyboardHelp } from './KeyboardHelp.tsx';
import { Palette } from './Palette.tsx';
import { Settings } from './Settings.tsx';
import { Who } from './Who.tsx';
import { pages } from './pages.ts';
import styles from './shell.module.css';

/** Pages, what waits, the connection, and the choices of this browser. */
export const TopBar = () => {
  const { state } = useSession();
  const signedIn = state.kind === 'signed-in';
  return (
    <header className={styles['bar']}>
      <Link href="/" className={styles['brand']}>
        <Mark />
        Lockstep
      </Link>
      {signedIn ? <Nav /> : null}
      <div className={styles['tools']}>
        {signedIn ? <StopButton agent={null} /> : null}
        {signedIn ? <Search /> : null}
        {state.kind === 'signed-out' ? null : <ConnectionState />}
        <Settings />
        {signedIn ? <Who session={state.session} /> : null}
      </div>
    </header>
  );
};

const Nav = () => {
  const path = usePathname();
  return (
    <nav className={styles['nav']} aria-label="pages">
      {pages.map((page) => {
        const here = page.href === '/' ? path === '/' : path.startsWith(page.href);
        return (
          <Link key={page.href} href={page.href} aria-current={here ? 'page' : undefined}>
            {page.name}
            {page.href === '/approvals' ? <WaitingCount /> : null}
          </Link>
        );
      })}
    </nav>
  );
};

/** How many requests wait for a person, and how long the oldest one has. */
const WaitingCount = () => {
  const { count, oldest } = useWaiting();
  const now = useNow();
  if (count === 0 || oldest === null) return null;
  return (
    <span
      className={styles['count']}
      aria-label={`${count} waiting, the oldest for ${age(now - oldest)}`}
    >
      {count} · {age(now - oldest)}
    </span>
  );
};

const words: Readonly<Record<Connection, readonly [glyph: string, word: string]>> = {
  live: ['●', 'live'],
  connecting: ['◌', 'connecting'],
  'daemon-down': ['✕', 'daemon down'],
};

const ConnectionState = () => {
  const { connection } = useLive();
  const [glyph, word] = words[connection];
  return (
    <span
      className={`${styles['link']} ${styles[connection]}`}
      role="status"
      data-connection={connection}
    >
      <span aria-hidden="true">{glyph}</span> {word}
    </span>
  );
};

const Search = () => {
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  useHotkeys(
    [
      [
        'mod+K',
        () => {
          setOpen('palette');
        },
      ],
    ],
    [],
  );
  const help = (): void => {
    setOpen('help');
  };
  useHotkeys([
    ['shift+?', help],
    ['?', help],
  ]);
  const close = (): void => {
    setOpen(null);
  };
  return (
    <>
      <button
        type="button"
        className={styles['plain']}
        onClick={() => {
          setOpen('palette');
        }}
      >
        Go to <kbd>⌘K</kbd>
      </button>
      <button
        type="button"
        className={`${styles['plain']} ${styles['hideSmall']}`}
        aria-label="keyboard help"
        onClick={() => {
          setOpen('help');
        }}
      >
        <kbd>?</kbd>
      </button>
      <Palette opened={open === 'palette'} onClose={close} />
      <KeyboardHelp opened={open === 'help'} onClose={close} />
    </>
  );
};

const Mark = () => (
  <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
    <rect x="1" y="2" width="14" height="5" rx="1.5" fill="var(--ls-accent)" />
    <rect
      x="1"
      y="9"
      width="14"
      height="5"
      rx="1.5"
      fill="none"
      stroke="var(--ls-accent)"
      strokeWidth="1.5"
    />
  </svg>
);
