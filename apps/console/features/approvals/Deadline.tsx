'use client';

import { duration, exactTime } from '../../lib/format.ts';
import { usePrefs } from '../../lib/prefs.tsx';
import { useNow } from '../../lib/use-now.ts';
import { countdown } from './approvals.logic.ts';
import styles from './approvals.module.css';

/** How long a person has, counting down. */
export const Deadline = ({ at }: { readonly at: number | 'never' }) => {
  const now = useNow();
  const { zone } = usePrefs();
  const { leftMs, urgency } = countdown(at, now);
  return (
    <span
      className={`mono ${styles[urgency] ?? ''}`}
      title={at === 'never' ? 'it does not expire' : `denied by itself at ${exactTime(at, zone)}`}
    >
      {leftMs === null
        ? 'no deadline'
        : urgency === 'over'
          ? 'expires now'
          : `${duration(leftMs)} left`}
    </span>
  );
};
