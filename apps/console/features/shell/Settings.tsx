'use client';

import { useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { usePrefs } from '../../lib/prefs.tsx';
import styles from './shell.module.css';

const nextScheme: Readonly<Record<MantineColorScheme, MantineColorScheme>> = {
  auto: 'light',
  light: 'dark',
  dark: 'auto',
};

/** Theme and time zone of this browser. */
export const Settings = () => {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const mounted = useMounted();
  const { zone, setZone } = usePrefs();
  const scheme = mounted ? colorScheme : 'auto';
  return (
    <>
      <button
        type="button"
        className={styles['plain']}
        aria-label={`theme: ${scheme}, switch to ${nextScheme[scheme]}`}
        onClick={() => {
          setColorScheme(nextScheme[scheme]);
        }}
      >
        {scheme}
      </button>
      <button
        type="button"
        className={styles['plain']}
        aria-label={zone === 'utc' ? 'UTC: switch to local time' : 'local time: switch to UTC'}
        onClick={() => {
          setZone(zone === 'utc' ? 'local' : 'utc');
        }}
      >
        {zone === 'utc' ? 'UTC' : 'local time'}
      </button>
    </>
  );
};
