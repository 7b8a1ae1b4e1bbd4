'use client';

import { createContext, useContext, useMemo, useSyncExternalStore, type ReactNode } from 'react';
import type { Zone } from './format.ts';

interface Prefs {
  readonly zone: Zone;
  readonly setZone: (zone: Zone) => void;
}

const PrefsContext = createContext<Prefs | null>(null);
const storageKey = 'lockstep-zone';
const changed = new EventTarget();

const readZone = (): Zone => (localStorage.getItem(storageKey) === 'utc' ? 'utc' : 'local');
const watchZone = (listener: () => void): (() => void) => {
  changed.addEventListener('zone', listener);
  window.addEventListener('storage', listener);
  return () => {
    changed.removeEventListener('zone', listener);
    window.removeEventListener('storage', listener);
  };
};
const setZone = (zone: Zone): void => {
  localStorage.setItem(storageKey, zone);
  changed.dispatchEvent(new Event('zone'));
};

/** What a person chose for this browser. */
export const PrefsProvider = ({ children }: { readonly children: ReactNode }) => {
  const zone = useSyncExternalStore<Zone>(watchZone, readZone, () => 'utc');
  const value = useMemo(() => ({ zone, setZone }), [zone]);
  return <PrefsContext value={value}>{children}</PrefsContext>;
};

/** The choices of this browser.
 * @throws Error outside `PrefsProvider` */
export const usePrefs = (): Prefs => {
  const prefs = useContext(PrefsContext);
  if (prefs === null) throw new Error('usePrefs needs PrefsProvider above it');
  return prefs;
};
