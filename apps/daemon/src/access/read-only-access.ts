import type { Ids, Ledger, LiveToken } from '@lockstep/engine';
import type { FactRecorder } from '../record-fact.ts';
import { localTokenName } from './authenticator.ts';
import { hashSecret, mintToken } from './token-secret.ts';

/** Access to a log that takes no events: a local token in memory alone, and nothing recorded of who looks.
 * @param known whether tokens of the log let in too: those of a history that somebody handed over do not */
export const readOnlyAccess = (
  ledger: Ledger,
  ids: Ids,
  known: 'tokens of the log too' | 'local token alone',
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
  const isOpen = known === 'tokens of the log too';
  return {
    ledger: {
      ...ledger,
      tokenByHash: (hash) => (hash === live.hash ? live : isOpen ? ledger.tokenByHash(hash) : null),
      tokenById: (id) => (id === live.id ? live : isOpen ? ledger.tokenById(id) : null),
    },
    recorder: { record: () => Promise.resolve([]) },
    local: { id: live.id, token },
  };
};
