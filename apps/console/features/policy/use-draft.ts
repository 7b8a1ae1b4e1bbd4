'use client';

import { useCallback, useEffect, useMemo, useState } from 'react';
import { useSession } from '../../lib/session.tsx';
import { draftKey, readDraft, type Draft } from './draft.logic.ts';

/** A person's draft of a config file, kept by the browser at each change: a reload, another page or another window loses nothing of it.
 * `kept` is false where the browser keeps nothing. */
export const useDraft = (
  file: string,
): {
  readonly draft: Draft | null;
  readonly write: (next: Draft | null) => void;
  readonly kept: boolean;
} => {
  const { state } = useSession();
  const principal = state.kind === 'signed-in' ? state.session.principal : '';
  const key = draftKey(principal, file);
  const first = useMemo(() => readDraft(read(key)), [key]);
  const [written, setWritten] = useState<{ readonly key: string; readonly draft: Draft | null }>();
  const [kept, setKept] = useState(true);
  useEffect(() => {
    const onStorage = (event: StorageEvent): void => {
      if (event.key === key) setWritten({ key, draft: readDraft(event.newValue) });
    };
    window.addEventListener('storage', onStorage);
    return () => {
      window.removeEventListener('storage', onStorage);
    };
  }, [key]);
  const write = useCallback(
    (next: Draft | null) => {
      setWritten({ key, draft: next });
      setKept(keep(key, next));
    },
    [key],
  );
  return { draft: written?.key === key ? written.draft : first, write, kept };
};

const read = (key: string): string | null => {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
};

const keep = (key: string, draft: Draft | null): boolean => {
  try {
    if (draft === null) window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
};
