'use client';

import { useCallback } from 'react';
import { usePathname, useSearchParams } from 'next/navigation';

/** What a view shows stands in its address. `set` with null takes a key out. Nothing is asked of the server for it, and the page
 * stays where it is. */
export const useQueryState = (): {
  readonly get: (key: string) => string | null;
  readonly set: (change: Readonly<Record<string, string | null>>, how?: 'push' | 'replace') => void;
} => {
  const params = useSearchParams();
  const path = usePathname();
  const get = useCallback((key: string) => params.get(key), [params]);
  const set = useCallback(
    (change: Readonly<Record<string, string | null>>, how: 'push' | 'replace' = 'replace') => {
      const next = new URLSearchParams(params);
      for (const [key, value] of Object.entries(change))
        if (value === null || value === '') next.delete(key);
        else next.set(key, value);
      const query = next.toString();
      const address = query === '' ? path : `${path}?${query}`;
      if (how === 'push') window.history.pushState(null, '', address);
      else window.history.replaceState(null, '', address);
    },
    [params, path],
  );
  return { get, set };
};
