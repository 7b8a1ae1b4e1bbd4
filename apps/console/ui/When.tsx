'use client';

import { ago, clockTime, exactTime } from '../lib/format.ts';
import { usePrefs } from '../lib/prefs.tsx';
import { useNow } from '../lib/use-now.ts';

/** A time: relative, with the exact one on hover; or the clock, where a list has many. */
export const When = ({
  at,
  as = 'age',
}: {
  readonly at: number;
  readonly as?: 'age' | 'clock';
}) => {
  const now = useNow();
  const { zone } = usePrefs();
  const text = as === 'clock' ? clockTime(at, zone) : ago(now - at);
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at, zone)}>
      {text}
    </time>
  );
};
