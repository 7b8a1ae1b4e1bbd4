import { appendShared, plainMeta } from './append-shared.ts';
import type { TurnParts } from './turn-parts.ts';

/** Records that somebody tried to decide and may not. A log that takes no writes lets nobody decide either. */
export const recordDenied = async (
  { store, ids, identity }: Pick<TurnParts, 'store' | 'ids' | 'identity'>,
  denied: { readonly principal: string; readonly action: string; readonly why: string },
): Promise<void> => {
  const id = ids.next();
  await appendShared(store, 'access', {
    type: 'AccessDenied',
    id,
    meta: plainMeta(identity, { id, agent: null }),
    data: { ...denied, count: 1 },
  });
};
