'use client';

import { useEffect, useState } from 'react';
import { ApiProblem, messageOf, sendJson } from '../../lib/api.ts';
import type { Resource } from '../../lib/use-snapshot.ts';
import type { ReplayAnswer } from './replay.logic.ts';

/** Has the daemon replay a turn; `body` null = not yet. Each other body is another replay; `round` asks for the same again. */
export const useReplay = (
  body: Readonly<Record<string, unknown>> | null,
  round: number,
): Resource<ReplayAnswer> => {
  const wanted = body === null ? null : JSON.stringify(body);
  const key = `${round} ${wanted ?? ''}`;
  const [read, setRead] = useState<{ readonly key: string; readonly is: Resource<ReplayAnswer> }>();
  useEffect(() => {
    if (wanted === null) return;
    const stop = new AbortController();
    replayed(wanted).then(
      (value) => {
        if (!stop.signal.aborted) setRead({ key, is: { kind: 'ready', value } });
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        const code = error instanceof ApiProblem ? error.code : 'unknown';
        setRead({ key, is: { kind: 'failed', code, message: messageOf(error) } });
      },
    );
    return () => {
      stop.abort();
    };
  }, [wanted, key]);
  return read?.key === key ? read.is : { kind: 'loading' };
};

const replayed = async (wanted: string): Promise<ReplayAnswer> => {
  const body = JSON.parse(wanted) as object;
  const answer = await sendJson<ReplayAnswer>('POST', '/v1/replays', { ...body, timeline: true });
  if (answer === null) throw new ApiProblem(502, 'unknown', 'the daemon answered nothing');
  return answer;
};
