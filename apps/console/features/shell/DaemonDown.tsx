'use client';

import { useLive } from '../../lib/live.tsx';
import { useSession } from '../../lib/session.tsx';
import styles from './shell.module.css';

/** Says that the daemon does not answer, while the page keeps what it knew. */
export const DaemonDown = () => {
  const { connection } = useLive();
  const { state } = useSession();
  if (connection !== 'daemon-down' || state.kind === 'signed-out') return null;
  return (
    <p className={styles['down']} role="alert">
      <strong>The daemon does not answer.</strong> What you see is the last that was known. The
      console tries again by itself; start the daemon with <code>npx lockstep up</code> if it was
      stopped.
    </p>
  );
};
