import type { Ids, Ledger, LiveToken } from '@lockstep/engine';
import type { FactRecorder } from '../record-fact.ts';
import { localTokenName } from './authenticator.ts';
import { hashSecret, mintToken } from './token-secret.ts';

/** Access to a log that takes no events: a local token in memory alone, and nothing recorded of who looks. */
export const readOnlyAccess = (
  ledger: Ledger,
  ids: Ids,
): {
  readonly ledger: Ledger;
  readonly recorder: FactRecorder;
  readonly local: { readonly id: string; readonly token: string };
} => {
  const token = mintToken();
  const live: LiveToken = {
    id: ids.next(),
    name: localTokenName,
    roles: ['admin'],
    scopes: { agents: ['*'], tools: ['*'] },
    hash: hashSecret(token),
    expires: 'never',
  };
  return {
    ledger: {
      ...ledger,
      tokenByHash: (hash) => (hash === live.hash ? live : ledger.tokenByHash(hash)),
      tokenById: (id) => (id === live.id ? live : ledger.tokenById(id)),
    },
    recorder: { record: () => Promise.resolve([]) },
    local: { id: live.id, token },
  };
};
