'use client';

import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let now = 0;
let timer: ReturnType<typeof setInterval> | undefined;

const watch = (listener: () => void): (() => void) => {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    now = 0;
  };
};

const read = (): number => {
  if (now === 0) now = Date.now();
  return now;
};

/** The time, once a second and the same for all of the page. 0 while the server renders. */
export const useNow = (): number => useSyncExternalStore(watch, read, () => 0);
