import type { PolicySnapshot } from '@lockstep/policy';
import type { Objection } from '../projections/parity-matrix.view.ts';
import { agentsIn, childOf, falseParent, reachedAgents } from './child-facts.ts';
import { anyOf, governed, objector, refusedUnder, witness, type Monitor } from './monitor.ts';
import type { PolicySpan, RecordedTurn } from './recorded-turn.ts';
import { own } from './tool-facts.ts';

interface FromChannel {
  readonly at: Pick<PolicySpan, 'event'>;
  readonly policy: PolicySnapshot;
  readonly binding: string;
  /** As the channel names the sender. */
  readonly sender: string;
}

/** The channel that a turn came from; null for others, and while its policy is not known. */
const cameFrom = (turn: RecordedTurn): FromChannel | null => {
  const request = turn.asked?.request;
  const span = turn.spans[0];
  if (request?.origin.kind !== 'channel' || span === undefined || span.policy === null) return null;
  const { binding } = request.origin;
  const sender = request.principal.id;
  return { at: span, policy: span.policy, binding, sender };
};

const bindings = objector('channels.bindings');
/** A message of a channel leads to the agent that owns the channel; where no agent owns any, to the first enabled one. */
const bindingsMonitor: Monitor = (turn) => {
  const from = cameFrom(turn);
  if (from === null || from.policy.channels.bindings.includes(from.binding)) return [];
  return isFallback(turn)
    ? []
    : [bindings.violated(from.at, `\`${from.binding}\` does not lead to this agent`)];
};

const peers = objector('channels.peers');
/** Messages come from peers of the channel, and go to agents of a group on it. */
const peersMonitor: Monitor = (turn) => [
  ...inboundFaults(turn),
  ...reachedAgents(turn).flatMap(({ at, policy, agent, how, channel }) =>
    how === 'message' && !mayMessage(policy, channel, agent)
      ? [peers.violated(at, `\`${agent}\` is in no group with this agent on that channel`)]
      : [],
  ),
  ...peerFaults(turn),
  ...governed(turn, 'ToolCallRefused').flatMap((at) => {
    const named = agentsIn(at.event.data.facts.operands);
    const all = named.every((o) => mayMessage(at.policy, o.channel, o.given));
    return at.event.data.rule === 'channels.peers' && named.length > 0 && all
      ? [peers.narrower(at, 'both are in one group on that channel')]
      : [];
  }),
];

export const channelsMonitors = {
  'channels.bindings': bindingsMonitor,
  'channels.peers': peersMonitor,
};

export const channelsWitnesses = {
  'channels.bindings': witness('PolicyResolved', (_, turn) => {
    const from = cameFrom(turn);
    return from === null ? null : `${from.binding} led to this agent`;
  }),
  'channels.peers': anyOf(
    refusedUnder('channels.peers'),
    witness('PolicyResolved', (_, turn) => {
      const from = cameFrom(turn);
      return from === null ? null : `${from.sender} is a peer on ${from.binding}`;
    }),
    witness('ToolCallAuthorized', ({ event }) => {
      const to = agentsIn(event.data.facts.operands).find(({ how }) => how === 'message');
      return to === undefined ? null : `${to.given} is a peer on ${to.channel ?? 'the channel'}`;
    }),
  ),
};

/** Whether channels that nobody owns lead to this agent: no agent declares any, and it is the first enabled one. What config
 * does not tell is not held against the turn. */
function isFallback(turn: RecordedTurn): boolean {
  const version = turn.asked?.config.version;
  const config = version === undefined ? null : turn.around.config(version);
  if (config === null) return turn.spans[0]?.policy?.channels.bindings.length === 0;
  const agents = Object.keys(config.agents).sort();
  if (agents.some((alias) => (config.agents[alias]?.channels ?? []).length > 0)) return false;
  return agents.find((alias) => config.agents[alias]?.enabled === true) === turn.agent;
}

function inboundFaults(turn: RecordedTurn): readonly Objection[] {
  const from = cameFrom(turn);
  if (from === null) return [];
  const { inbound, ignore } = own(from.policy.channels.peers, from.binding) ?? nobody;
  const names = ['*', from.sender, withoutBinding(from)];
  return names.some((name) => inbound.includes(name)) && !names.some((n) => ignore.includes(n))
    ? []
    : [
        peers.violated(
          from.at,
          `\`${from.sender}\` is no peer of this agent on \`${from.binding}\``,
        ),
      ];
}

const nobody: { readonly inbound: readonly string[]; readonly ignore: readonly string[] } = {
  inbound: [],
  ignore: [],
};

function withoutBinding({ sender, binding }: FromChannel): string {
  return sender.startsWith(`${binding}/`) ? sender.slice(binding.length + 1) : sender;
}

function mayMessage(policy: PolicySnapshot, channel: string | null, agent: string): boolean {
  if (channel === null) return false;
  return own(policy.channels.peers, channel)?.agents.includes(agent) === true;
}

/** A peer's message reaches agents that are in a group with the sender, and says truly who that is. */
function peerFaults(turn: RecordedTurn): readonly Objection[] {
  const child = childOf(turn);
  const origin = turn.asked?.request.origin;
  if (child === null || origin?.kind !== 'peer') return [];
  const untrue = falseParent(turn);
  if (untrue !== null) return [peers.violated(child.at, untrue)];
  const from = child.parent.snapshot.agent;
  return mayMessage(child.policy, origin.channel, from)
    ? []
    : [peers.violated(child.at, `\`${from}\` is in no group with this agent`)];
}
