import { map, type Entry } from '../orders/map.ts';
import { set } from '../orders/set.ts';
import { sortedSet } from '../orders/order.ts';
import type { PolicySnapshot } from '../snapshot.ts';
import { ofAgent, type Place } from './setting.ts';

type Peers = PolicySnapshot['channels']['peers'];

const peersEntry: Entry<Peers[string]> = {
  name: 'peers and agents: intersection',
  normal: (value) => ({ inbound: set.normal(value.inbound), agents: set.normal(value.agents) }),
  meet: (a, b) => ({
    inbound: set.meet(a.inbound, b.inbound),
    agents: set.meet(a.agents, b.agents),
  }),
  within: (asked, held) =>
    set.within(asked.inbound, held.inbound) && set.within(asked.agents, held.agents),
};

/** Which channels lead to an agent, and whom it may message. */
export const channelsSettings = {
  'channels.bindings': ofAgent('channels.bindings', {
    order: set,
    written: 'channels',
    fallback: '[]',
    explain: 'Channels that this agent owns.',
    read: ({ agent }) => agent.channels ?? null,
    default: [],
  }),
  'channels.peers': ofAgent('channels.peers', {
    order: map(peersEntry),
    written: 'channels',
    fallback: '{}',
    explain: 'By channel, who outside may write to this agent and which agents it may message.',
    read: (place) => peersOf(place),
    default: {},
  }),
};

const peersOf = ({ alias, config }: Place): Peers | null => {
  const peers = new Map<string, Peers[string]>();
  for (const group of Object.values(config.peer_groups)) {
    if (!group.agents.includes(alias)) continue;
    const known = peers.get(group.channel) ?? { inbound: [], agents: [] };
    const inbound = group.external_peers.filter((peer) => !group.ignore.includes(peer));
    const agents = group.agents.filter((agent) => agent !== alias);
    peers.set(group.channel, {
      inbound: sortedSet([...known.inbound, ...inbound]),
      agents: sortedSet([...known.agents, ...agents]),
    });
  }
  return peers.size === 0 ? null : Object.fromEntries(peers);
};
