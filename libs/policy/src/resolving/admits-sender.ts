import { entryOf } from '../orders/map.ts';
import type { PolicySnapshot } from '../snapshot.ts';

/** Whether an agent listens to a sender on a channel: `sender` as the channel names it, without the channel. One that is ignored
 * is not listened to, whatever else is said. */
export const admitsSender = (
  { channels }: Pick<PolicySnapshot, 'channels'>,
  binding: string,
  sender: string,
): boolean => {
  const peers = entryOf(channels.peers, binding);
  if (peers === null) return false;
  const holds = (names: readonly string[]) => names.includes('*') || names.includes(sender);
  return holds(peers.inbound) && !holds(peers.ignore);
};
