'use client';

import { createContext, useContext, useMemo, type ReactNode } from 'react';
import { messageOf, sendJson } from '../../lib/api.ts';
import { withQuery } from '../../lib/query.ts';
import { useSession } from '../../lib/session.tsx';
import { useSnapshot } from '../../lib/use-snapshot.ts';
import { foldStops, type StopState } from './stop.logic.ts';

const nothing: StopState = { stops: [], pauses: [] };
const StopsContext = createContext<StopState>(nothing);

/** Emergency stops and pauses in force, on every page. */
export const StopsProvider = ({ children }: { readonly children: ReactNode }) => {
  const { state } = useSession();
  const { resource } = useSnapshot<StopState>(
    state.kind === 'signed-in' ? '/v1/stop' : null,
    foldStops,
  );
  const value = useMemo(
    () => (resource.kind === 'ready' && state.kind === 'signed-in' ? resource.value : nothing),
    [resource, state.kind],
  );
  return <StopsContext value={value}>{children}</StopsContext>;
};

export const useStops = (): StopState => useContext(StopsContext);

/** Stops every agent (null) or one. Answers what went wrong, or null. */
export const setStop = async (agent: string | null, why: string): Promise<string | null> => {
  const reason = why.trim();
  const body = {
    ...(agent === null ? {} : { agent }),
    ...(reason === '' ? {} : { why: reason }),
  };
  return tried(() => sendJson('POST', '/v1/stop', body));
};

/** Takes a stop back. Answers what went wrong, or null. */
export const clearStop = (agent: string | null): Promise<string | null> =>
  tried(() => sendJson('DELETE', withQuery('/v1/stop', { agent })));

const tried = async (send: () => Promise<unknown>): Promise<string | null> => {
  try {
    await send();
    return null;
  } catch (error) {
    return messageOf(error);
  }
};
