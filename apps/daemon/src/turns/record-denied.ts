import type { ExpectedRevision, NewEvent } from '@lockstep/engine';
import type { TurnParts } from './turn-parts.ts';

/** Records that somebody tried to decide and may not. A log that takes no writes lets nobody decide either. */
export const recordDenied = async (
  parts: Pick<TurnParts, 'store' | 'ids' | 'identity'>,
  denied: { readonly principal: string; readonly action: string; readonly why: string },
): Promise<void> => {
  const id = parts.ids.next();
  const event: NewEvent = {
    type: 'AccessDenied',
    id,
    schema: 1,
    meta: {
      agent: null,
      path: null,
      trigger: null,
      principal: null,
      session: null,
      turn: null,
      root: null,
      parent: null,
      chain: [],
      correlation: id,
      causation: null,
      attempt: 1,
      daemon: parts.identity.id,
      build: parts.identity.build,
    },
    data: { ...denied, count: 1 },
  };
  let expected: ExpectedRevision = 'no-stream';
  for (;;) {
    const result = await parts.store.append('access', [event], expected);
    if (result.ok || result.reason !== 'conflict') return;
    expected = result.actual;
  }
};
