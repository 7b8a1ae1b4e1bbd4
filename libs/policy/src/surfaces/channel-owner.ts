import type { Config } from '../config/config.schema.ts';
import { entryOf } from '../orders/map.ts';
import { byText } from '../orders/order.ts';

/** Every channel of config as `<kind>.<alias>`, sorted. */
export const bindingsOf = ({ channels }: Pick<Config, 'channels'>): string[] =>
  Object.entries(channels)
    .flatMap(([kind, byAlias]) => Object.keys(byAlias).map((alias) => `${kind}.${alias}`))
    .sort(byText);

/** The config of one channel, or null when there is none of that name. */
export const channelOf = (
  { channels }: Pick<Config, 'channels'>,
  binding: string,
): AnyChannel | null => {
  const dot = binding.indexOf('.');
  const byAlias = entryOf<Readonly<Record<string, AnyChannel>>>(channels, binding.slice(0, dot));
  return dot === -1 || byAlias === null ? null : entryOf(byAlias, binding.slice(dot + 1));
};

type AnyChannel = Config['channels'][keyof Config['channels']][string];

/** Whether any agent, enabled or not, declares a channel. */
export const declaresChannels = ({ agents }: Pick<Config, 'agents'>): boolean =>
  Object.values(agents).some((agent) => (agent.channels ?? []).length > 0);

/** The agent that a channel leads to: the one that declares it. Only when no agent declares any channel, all of them lead to the
 * first enabled alias, unless it writes that it wants none. Null = nobody. */
export const channelOwnerIn = (
  config: Pick<Config, 'agents' | 'channels'>,
  binding: string,
): string | null => {
  if (channelOf(config, binding) === null) return null;
  const agents = Object.entries(config.agents).sort(([a], [b]) => byText(a, b));
  if (declaresChannels(config))
    return agents.find(([, agent]) => agent.channels?.includes(binding))?.[0] ?? null;
  const [first] = agents.filter(([, agent]) => agent.enabled);
  return first?.[1].channels === undefined ? (first?.[0] ?? null) : null;
};
