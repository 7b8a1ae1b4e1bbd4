import { chain } from '../orders/chain.ts';
import { limit } from '../orders/limit.ts';
import { entryIn, map } from '../orders/map.ts';
import { set } from '../orders/set.ts';
import { trueIsWider } from '../orders/true-is-wider.ts';
import { layered, ofAgent, type Place } from './setting.ts';

type Mode = 'bounded' | 'independent';

/** Which other agents and procedures may be started, and how deep. */
export const delegationSettings = {
  'delegation.delegates': ofAgent('delegation.delegates', {
    order: map(entryIn(chain<Mode>(['bounded', 'independent']))),
    written: 'delegates',
    fallback: '[]',
    explain: 'Agents that may be delegated to, each bounded by this policy or independent of it.',
    read: (place) => edgesOf(place),
    default: () => ({}),
  }),
  'delegation.mode': layered('delegation.mode', {
    order: chain(['forbidden', 'allow']),
    layer: 'risk',
    fallback: '"forbidden"',
    explain: 'Whether the agent may delegate at all.',
    pick: (tables) => tables.delegation?.mode,
    read: (written) => written,
    default: () => 'forbidden',
  }),
  'delegation.max_depth': layered('delegation.max_depth', {
    order: limit,
    layer: 'risk',
    fallback: '3',
    explain: 'Levels of turns below this one.',
    pick: (tables) => tables.delegation?.max_depth,
    read: (written) => written,
    default: () => 3,
  }),
  'delegation.spawn': layered('delegation.spawn', {
    order: trueIsWider,
    layer: 'risk',
    fallback: 'false',
    explain: 'Whether the agent may start sub-agents of itself.',
    pick: (tables) => tables.delegation?.spawn,
    read: (written) => written,
    default: () => false,
  }),
  'delegation.sops': layered('delegation.sops', {
    order: set,
    layer: 'risk',
    fallback: '[]',
    explain: 'Procedures that the agent may start.',
    pick: (tables) => tables.delegation?.sops,
    read: (written) => written,
    default: () => [],
  }),
};

const edgesOf = ({ agent }: Place): Record<string, Mode> | null => {
  if (agent.delegates === undefined) return null;
  const bounded = agent.delegates.filter((edge) => edge.mode === 'bounded');
  // Of two edges to one agent the bounded one counts.
  return Object.fromEntries([...agent.delegates, ...bounded].map((e) => [e.agent, e.mode]));
};
