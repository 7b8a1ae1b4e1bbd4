'use client';

import { useEffect, useState } from 'react';
import { getJson, messageOf } from '../../../lib/api.ts';
import type { Resource } from '../../../lib/use-snapshot.ts';
import { ApiProblem } from '../../../lib/api.ts';
import type { Backtest, Progress } from './backtest.logic.ts';

const placeOf = (id: string): string => `/v1/backtests/${encodeURIComponent(id)}`;

/** A backtest as it stands: its progress while it runs, then its report. */
export const useBacktest = (id: string): Resource<Backtest> => {
  const [read, setRead] = useState<Resource<Backtest>>({ kind: 'loading' });
  useEffect(() => {
    const stop = new AbortController();
    let source: EventSource | null = null;
    const follow = (): void => {
      source = new EventSource(`${placeOf(id)}/stream`);
      source.addEventListener('progress', (message: MessageEvent<string>) => {
        const progress = JSON.parse(message.data) as Progress;
        setRead((now) => withProgress(now, progress));
      });
      source.addEventListener('end', () => {
        source?.close();
        void load();
      });
    };
    const load = async (): Promise<void> => {
      const next = await readBacktest(id, stop.signal);
      if (next === null) return;
      setRead(next);
      if (next.kind === 'ready' && next.value.state === 'running') follow();
    };
    void load();
    return () => {
      stop.abort();
      source?.close();
    };
  }, [id]);
  return read;
};

const withProgress = (now: Resource<Backtest>, progress: Progress): Resource<Backtest> =>
  now.kind === 'ready' ? { kind: 'ready', value: { ...now.value, progress } } : now;

const readBacktest = async (
  id: string,
  signal: AbortSignal,
): Promise<Resource<Backtest> | null> => {
  try {
    return { kind: 'ready', value: await getJson<Backtest>(placeOf(id), signal) };
  } catch (error) {
    if (signal.aborted) return null;
    const code = error instanceof ApiProblem ? error.code : 'unknown';
    return { kind: 'failed', code, message: messageOf(error) };
  }
};
