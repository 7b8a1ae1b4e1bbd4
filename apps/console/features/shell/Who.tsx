'use client';

import { useRouter } from 'next/navigation';
import { Menu } from '@mantine/core';
import { signOut, type Session } from '../../lib/api.ts';
import { useSession } from '../../lib/session.tsx';
import styles from './shell.module.css';

/** Who is signed in, with what roles, and the way out. */
export const Who = ({ session }: { readonly session: Session }) => {
  const { refresh } = useSession();
  const router = useRouter();
  const leave = async (): Promise<void> => {
    try {
      await signOut();
    } finally {
      refresh();
      router.push('/');
    }
  };
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <button
          type="button"
          className={styles['plain']}
          aria-label={`signed in as ${nameOf(session)}`}
        >
          {nameOf(session)} ▾
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Roles: {session.roles.join(', ')}</Menu.Label>
        <Menu.Item onClick={() => void leave()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};

const nameOf = ({ person, principal }: Session): string => person ?? principal;
