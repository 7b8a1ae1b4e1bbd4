import { atKey, atValue } from './check-context.ts';
import type { ConfigCheck } from './check-context.ts';

/** A connection is what an event store of its own is reached by; the embedded one has none. */
export const checkStore: ConfigCheck = (context) => {
  const { type, connection } = context.config.store;
  if (type === 'eventstoredb' && connection === undefined)
    return [
      atValue(
        context,
        'missing_key',
        ['store', 'type'],
        '`eventstoredb` needs `store.connection`, write `connection = { env = "NAME" }`',
      ),
    ];
  if (type === 'sqlite' && connection !== undefined)
    return [
      atKey(
        context,
        'cannot_act',
        ['store', 'connection'],
        '`store.connection` is of `eventstoredb` alone, leave it out or set `store.type`',
      ),
    ];
  return [];
};
