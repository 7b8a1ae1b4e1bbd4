import { map, type Entry } from '../orders/map.ts';
import { denyPatterns } from '../orders/deny-patterns.ts';
import { set } from '../orders/set.ts';
import { sortedSet } from '../orders/order.ts';
import type { PolicySnapshot } from '../snapshot.ts';
import { bindingsOf, channelOwnerIn, declaresChannels } from './channel-owner.ts';
import { ofAgent, type Place } from './setting.ts';

type Peers = PolicySnapshot['channels']['peers'];

const ignored = denyPatterns(['*']);

const peersEntry: Entry<Peers[string]> = {
  name: 'peers and agents: intersection, ignored senders: union',
  normal: ({ inbound, ignore, agents }) => ({
    inbound: set.normal(inbound),
    ignore: ignored.normal(ignore),
    agents: set.normal(agents),
  }),
  meet: (a, b) => ({
    inbound: set.meet(a.inbound, b.inbound),
    ignore: ignored.meet(a.ignore, b.ignore),
    agents: set.meet(a.agents, b.agents),
  }),
  within: (asked, held) =>
    set.within(asked.inbound, held.inbound) &&
    set.within(held.ignore, asked.ignore) &&
    set.within(asked.agents, held.agents),
};

/** Which channels lead to an agent, and whom it may message. */
export const channelsSettings = {
  'channels.bindings': ofAgent('channels.bindings', {
    order: set,
    written: 'channels',
    fallback: '[]',
    explain: 'Channels that lead to this agent.',
    read: ({ agent }) => agent.channels ?? null,
    // Where no agent declares any, one agent answers for all of them.
    default: ({ alias, config }) =>
      declaresChannels(config)
        ? []
        : bindingsOf(config).filter((name) => channelOwnerIn(config, name) === alias),
  }),
  'channels.peers': ofAgent('channels.peers', {
    order: map(peersEntry),
    written: 'channels',
    fallback: '{}',
    explain: 'By channel, who outside may write to this agent and which agents it may message.',
    read: (place) => peersOf(place),
    default: () => ({}),
  }),
};

/** A sender that one group of the agent ignores is ignored on the whole channel. */
const peersOf = ({ alias, config }: Place): Peers | null => {
  const peers = new Map<string, Peers[string]>();
  for (const group of Object.values(config.peer_groups)) {
    if (!group.agents.includes(alias)) continue;
    const known = peers.get(group.channel) ?? { inbound: [], ignore: [], agents: [] };
    const ignore = sortedSet([...known.ignore, ...group.ignore]);
    peers.set(group.channel, {
      inbound: sortedSet([...known.inbound, ...group.external_peers]).filter(
        (peer) => !ignore.includes(peer),
      ),
      ignore,
      agents: sortedSet([...known.agents, ...group.agents.filter((agent) => agent !== alias)]),
    });
  }
  return peers.size === 0 ? null : Object.fromEntries(peers);
};
