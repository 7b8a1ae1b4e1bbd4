'use client';

import { useState } from 'react';

/** Which rows stood in a list when a person came to it; null while nobody is there. Rows that come later wait at its top. */
export const useHeld = (): {
  readonly shown: ReadonlySet<string> | null;
  readonly hold: (ids: readonly string[]) => void;
  readonly release: () => void;
} => {
  const [shown, setShown] = useState<ReadonlySet<string> | null>(null);
  return {
    shown,
    hold: (ids) => {
      setShown((now) => now ?? new Set(ids));
    },
    release: () => {
      setShown(null);
    },
  };
};
