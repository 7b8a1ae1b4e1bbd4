import { existsSync } from 'node:fs';
import type { Clock, EventStore, Ledger } from '@lockstep/engine';
import type { Config } from '@lockstep/policy';
import { readSecret, secretName, type SecretSource } from '../adapters/secrets/secret-ref.ts';
import { readConnection } from './eventstore/connection-text.ts';
import { indexPath } from './eventstore/index-path.ts';
import { openEventStoreLog } from './eventstore/load.ts';
import { logPath, openSqliteLog } from './sqlite/sqlite-log.ts';
import { StoreError } from './store-error.ts';

export interface OpenedLog {
  readonly store: EventStore;
  readonly ledger: Ledger;
}

/** Opens the log that a config names: in the data folder, or on a cluster with its index in the data folder.
 * @throws StoreError when it cannot be opened, or the folder belongs to a log of the other kind */
export const openLog = async (options: {
  readonly folder: string;
  readonly clock: Clock;
  readonly config: Pick<Config, 'store'>;
  readonly source: SecretSource;
}): Promise<OpenedLog> => {
  const { folder, clock, config, source } = options;
  const { connection: ref } = config.store;
  if (config.store.type === 'sqlite' || ref === undefined) {
    if (existsSync(indexPath(folder)) && !existsSync(logPath(folder)))
      throw otherKind(folder, 'on an event store');
    return openSqliteLog({ folder, clock });
  }
  if (existsSync(logPath(folder))) throw otherKind(folder, 'in a file of its own');
  const secret = readSecret(ref, source);
  if (!secret.ok) throw new StoreError('store_unavailable', secret.message);
  const connection = readConnection(secret.value, `\`${secretName(ref)}\``);
  return openEventStoreLog({ folder, clock, connection });
};

/** An empty log in place of the one that a folder knows would forget every grant, stop and open turn. */
const otherKind = (folder: string, where: string): StoreError =>
  new StoreError(
    'store_not_a_log',
    `the data folder \`${folder}\` belongs to a log ${where}, choose another with \`--data\` or set \`store.type\` back`,
  );
