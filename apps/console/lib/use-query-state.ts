'use client';

import { useCallback } from 'react';
import { usePathname, useRouter, useSearchParams } from 'next/navigation';

/** What a view shows stands in its address. `set` with null takes a key out; the page's place on the screen stays. */
export const useQueryState = (): {
  readonly get: (key: string) => string | null;
  readonly set: (change: Readonly<Record<string, string | null>>, how?: 'push' | 'replace') => void;
} => {
  const params = useSearchParams();
  const path = usePathname();
  const router = useRouter();
  const get = useCallback((key: string) => params.get(key), [params]);
  const set = useCallback(
    (change: Readonly<Record<string, string | null>>, how: 'push' | 'replace' = 'replace') => {
      const next = new URLSearchParams(params);
      for (const [key, value] of Object.entries(change))
        if (value === null || value === '') next.delete(key);
        else next.set(key, value);
      const query = next.toString();
      router[how](query === '' ? path : `${path}?${query}`, { scroll: false });
    },
    [params, path, router],
  );
  return { get, set };
};
