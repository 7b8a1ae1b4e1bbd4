import type { AppliedConfig, SecretRef } from '@lockstep/policy';
import type { ChannelParts } from './channel-parts.ts';
import type { MakeChannel } from './channel-runner.ts';
import { WebhookChannel } from './webhook/webhook-channel.ts';

/** How the channel of a binding is made. The client of a platform is loaded when a channel of it starts: they are large. Secrets are read at each start, so that a rotated one counts. */
export const channelMaker = (
  { config }: AppliedConfig,
  binding: string,
  { readSecret, clock }: ChannelParts,
): MakeChannel => {
  const [kind = '', alias = ''] = binding.split('.', 2);
  const { webhook, mqtt, telegram, slack, discord } = config.channels;
  const now = (): number => clock.now();
  const secret = (ref: SecretRef): string => {
    const read = readSecret(ref);
    if (!read.ok) throw new Error(read.message);
    return read.value;
  };
  const entry = <T>(byAlias: Readonly<Record<string, T>>): T => {
    const found = Object.hasOwn(byAlias, alias) ? byAlias[alias] : undefined;
    if (found === undefined) throw new Error(`no channel is called \`${binding}\``);
    return found;
  };
  switch (kind) {
    case 'webhook':
      return (end) => {
        const own = entry(webhook);
        return new WebhookChannel(own, secret(own.secret), { end, now });
      };
    case 'mqtt':
      return async (end) => {
        const { MqttChannel } = await import('./mqtt/mqtt-channel.ts');
        const own = entry(mqtt);
        const password = own.password === undefined ? null : secret(own.password);
        return new MqttChannel(own, password, end);
      };
    case 'telegram':
      return async (end) => {
        const { TelegramChannel } = await import('./telegram/telegram-channel.ts');
        const own = entry(telegram);
        return new TelegramChannel(own, secret(own.token), end);
      };
    case 'slack':
      return async (end) => {
        const { SlackChannel } = await import('./slack/slack-channel.ts');
        const own = entry(slack);
        const tokens = { bot: secret(own.bot_token), app: secret(own.app_token) };
        return new SlackChannel(own, tokens, end);
      };
    case 'discord':
      return async (end) => {
        const { DiscordChannel } = await import('./discord/discord-channel.ts');
        const own = entry(discord);
        return new DiscordChannel(own, secret(own.token), end);
      };
    default:
      return () => {
        throw new Error(`no channel has the kind \`${kind}\``);
      };
  }
};
