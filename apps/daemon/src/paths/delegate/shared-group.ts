import type { Config } from '@lockstep/policy';

/** A group of a channel that all these agents are in, the first by name; `none` is no group's name that could hold them. */
export const sharedGroup = (
  { peer_groups: groups }: Pick<Config, 'peer_groups'>,
  channel: string,
  agents: readonly string[],
): string => {
  const [first] = Object.entries(groups)
    .filter(([, group]) => group.channel === channel)
    .filter(([, group]) => agents.every((agent) => group.agents.includes(agent)))
    .map(([name]) => name)
    .sort();
  return first ?? 'none';
};
