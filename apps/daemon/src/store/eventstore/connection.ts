import { EventStoreDBClient } from '@eventstore/db-client';
import { StoreError } from '../store-error.ts';
import type { Connection } from './connection-text.ts';

/** The client of a connection. It opens no socket before its first call.
 * @throws StoreError that names no credential */
export const connect = ({ text, where }: Connection): EventStoreDBClient => {
  try {
    const client = EventStoreDBClient.connectionString(text);
    // Appends go one call each, never over the shared stream of batches: there an acknowledgement may stay out for ever, and one that
    // comes after another stream broke is thrown where nobody can catch it.
    return Object.assign(client, { supports: () => Promise.resolve(false) });
  } catch (error) {
    const certificate = error instanceof Error && /certificate|userCertFile/.test(error.message);
    throw refusal(
      certificate
        ? `a certificate file of \`${where}\` cannot be read, check \`tlsCAFile\`, \`userCertFile\` and \`userKeyFile\``
        : `the connection to \`${where}\` cannot be used, check its hosts and options`,
    );
  }
};

/** Ends a client's calls and its connection. The client's own way to end leaves the connection open, and the process with it. */
export const disconnect = async (client: EventStoreDBClient): Promise<void> => {
  await client.dispose();
  // Out of reach of the client's types.
  const getChannel: unknown = Reflect.get(client, 'getChannel');
  const channel: unknown = isCallable(getChannel) ? await getChannel() : null;
  if (canClose(channel)) channel.close();
};

const isCallable = (value: unknown): value is () => unknown => typeof value === 'function';

const canClose = (channel: unknown): channel is { readonly close: () => void } =>
  typeof channel === 'object' &&
  channel !== null &&
  'close' in channel &&
  typeof channel.close === 'function';

const refusal = (message: string): StoreError => new StoreError('store_unavailable', message);
