import type { PolicySnapshot } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';
import type { Withheld } from '../tools/withheld.ts';

type Agent = Extract<Operand, { kind: 'agent' }>;

/** The rule that a turn of another agent, or a further one of the same, would break; null = it may begin. */
export const judgeAgent = (policy: PolicySnapshot, operand: Agent): Withheld | null =>
  reachOf(policy, operand) ?? judgeDepth(policy);

/** Whom the policy lets this agent reach, each way by its own settings. */
const reachOf = (policy: PolicySnapshot, operand: Agent): Withheld | null => {
  const { agent, delegation } = policy;
  switch (operand.how) {
    case 'delegate':
      if (delegation.mode === 'forbidden') return mayNotDelegate;
      return Object.hasOwn(delegation.delegates, operand.given)
        ? null
        : withheld(
            'delegation.delegates',
            `agent \`${agent}\` has no edge to agent \`${operand.given}\``,
          );
    case 'spawn':
      if (delegation.mode === 'forbidden') return mayNotDelegate;
      return delegation.spawn
        ? null
        : withheld('delegation.spawn', `agent \`${agent}\` may start no sub-agent of itself`);
    case 'message':
      return isPeer(policy, operand)
        ? null
        : withheld(
            'channels.peers',
            `agents \`${agent}\` and \`${operand.given}\` are in no group on channel \`${operand.channel ?? ''}\``,
          );
  }
};

const isPeer = ({ channels }: PolicySnapshot, { given, channel }: Agent): boolean =>
  channel !== null &&
  Object.hasOwn(channels.peers, channel) &&
  channels.peers[channel]?.agents.includes(given) === true;

const judgeDepth = ({ delegation }: PolicySnapshot): Withheld | null =>
  delegation.max_depth === 0
    ? withheld('delegation.max_depth', 'no level of turns is left below this one')
    : null;

const withheld = (rule: Withheld['rule'], why: string): Withheld => ({ rule, pattern: null, why });

const mayNotDelegate = withheld('delegation.mode', 'the agent may start no other turns');
