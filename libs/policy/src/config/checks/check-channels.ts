import { channelOwnerIn } from '../../surfaces/channel-owner.ts';
import type { ConfigPath, ConfigProblem } from '../problem.ts';
import { atKey, atValue, type CheckContext, type ConfigCheck } from './check-context.ts';
import { checkChannel, checkNamesIn, noChannel, targets } from './known-name.ts';

/** Channels lead to one agent, groups to channels and agents that there are. */
export const checkChannels: ConfigCheck = (context) => [
  ...checkOwners(context),
  ...Object.entries(context.config.peer_groups).flatMap(([name, group]) => {
    const at = (key: string): ConfigPath => ['peer_groups', name, key];
    return [
      ...checkChannel(context, at('channel'), group.channel),
      ...checkNamesIn(context, at('agents'), group.agents, targets.agent),
      ...twice(context, at('agents'), group.agents),
    ];
  }),
];

/** Members, senders and agents of a group that nothing follows from. */
export const checkIdleGroups: ConfigCheck = (context) =>
  Object.entries(context.config.peer_groups).flatMap(([name, group]): ConfigProblem[] => {
    const at = ['peer_groups', name];
    if (group.agents.length < 2 && group.external_peers.length === 0) {
      const message = `\`${name}\` cannot act: it needs two agents, or an agent and \`external_peers\``;
      return [atKey(context, 'cannot_act', at, message)];
    }
    const owner = channelOwnerIn(context.config, group.channel);
    if (group.external_peers.length === 0 || (owner !== null && group.agents.includes(owner)))
      return [];
    const leads = owner === null ? 'to no agent' : `to \`${owner}\`, which is not in the group`;
    const message = `\`external_peers\` cannot act: channel \`${group.channel}\` leads ${leads}`;
    return [atKey(context, 'cannot_act', [...at, 'external_peers'], message)];
  });

/** A channel on which an agent listens to nobody. */
export const warnDeafChannels: ConfigCheck = (context) =>
  Object.entries(context.config.agents).flatMap(([alias, agent]) =>
    (agent.channels ?? []).flatMap((binding, index) => {
      const heard = Object.values(context.config.peer_groups).some(
        ({ channel, agents, external_peers: senders }) =>
          channel === binding && agents.includes(alias) && senders.length > 0,
      );
      if (heard) return [];
      const message = `\`${alias}\` listens to nobody on \`${binding}\`: name senders in a peer group`;
      return [atValue(context, 'cannot_act', ['agents', alias, 'channels', index], message)];
    }),
  );

const checkOwners = (context: CheckContext): ConfigProblem[] => {
  const owners = new Map<string, string>();
  return Object.entries(context.config.agents).flatMap(([alias, agent]) =>
    (agent.channels ?? []).flatMap((binding, index): ConfigProblem[] => {
      const at = ['agents', alias, 'channels', index];
      const unknown = noChannel(context, binding);
      if (unknown !== null) return [atValue(context, 'unknown_name', at, unknown)];
      const owner = owners.get(binding);
      owners.set(binding, owner ?? alias);
      if (owner === undefined) return [];
      const where = owner === alias ? 'stands here twice' : `belongs to \`${owner}\` already`;
      return [atValue(context, 'conflict', at, `\`${binding}\` ${where}, leave one out`)];
    }),
  );
};

const twice = (context: CheckContext, path: ConfigPath, names: readonly string[]) =>
  names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [atValue(context, 'conflict', [...path, index], `\`${name}\` stands here twice`)],
  );

/** Whether an identity of a person names a channel, and what is wrong with it. */
export const checkSender = (context: CheckContext, identity: string): string | null => {
  const slash = identity.indexOf('/');
  const binding = identity.slice(0, slash);
  if (slash === identity.length - 1)
    return `\`${identity}\` names no sender, write \`${binding}/<sender>\``;
  return noChannel(context, binding);
};
