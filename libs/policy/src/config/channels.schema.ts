import { z } from 'zod';
import { aliasSchema } from '../names.ts';
import { patternList, secretRef } from './values.schema.ts';

const httpUrl = z
  .url({ protocol: /^https?$/ })
  .describe('Where to reach the service; http or https.');

/** What every kind of channel may say. */
const common = {
  tools: patternList
    .optional()
    .describe('What turns from this channel may use at most; absent takes nothing away.'),
};

/** A signed webhook: HMAC-SHA256 over time stamp and body. */
export const webhookChannelSchema = z.strictObject({
  ...common,
  secret: secretRef.describe('Signs what comes in and what goes out.'),
  reply_url: httpUrl
    .optional()
    .describe('Where replies and questions are posted; absent keeps them for polling.'),
  window_secs: z
    .int()
    .min(10)
    .max(3600)
    .default(300)
    .describe('How far the time stamp of a message may be off; a message is taken once in it.'),
  sender_may_approve: z
    .boolean()
    .default(false)
    .describe('Whether the sender named in a message may answer approvals.'),
});

export const mqttChannelSchema = z.strictObject({
  ...common,
  url: z.url({ protocol: /^(mqtts?|wss?|tcp)$/ }).describe('The broker.'),
  username: z.string().min(1).optional(),
  password: secretRef.optional(),
  client_id: z.string().min(1).max(64).optional().describe('Absent: the name of the channel.'),
  topic: z.string().min(1).describe('The filter of topics that messages come in on.'),
  sender_level: z
    .int()
    .min(1)
    .max(32)
    .optional()
    .describe(
      'The level of the topic, from 1, that names the sender, as a broker that knows its clients can enforce; absent: the message itself names it.',
    ),
  reply_topic: z
    .string()
    .min(1)
    .optional()
    .describe('Where replies go when a message names no response topic.'),
  sender_may_approve: z
    .boolean()
    .default(false)
    .describe('Whether the sender named in a message may answer approvals.'),
});

export const telegramChannelSchema = z.strictObject({
  ...common,
  token: secretRef.describe('The token of the bot.'),
  api_url: httpUrl.optional(),
});

export const slackChannelSchema = z.strictObject({
  ...common,
  bot_token: secretRef,
  app_token: secretRef.describe('Opens the socket that messages come in on.'),
  api_url: httpUrl.optional(),
});

export const discordChannelSchema = z.strictObject({
  ...common,
  token: secretRef.describe('The token of the bot.'),
  api_url: httpUrl.optional(),
});

/** The channels by kind and alias; a binding is called `<kind>.<alias>`. */
export const channelsSchema = z.strictObject({
  webhook: z.record(aliasSchema, webhookChannelSchema).default({}),
  mqtt: z.record(aliasSchema, mqttChannelSchema).default({}),
  telegram: z.record(aliasSchema, telegramChannelSchema).default({}),
  slack: z.record(aliasSchema, slackChannelSchema).default({}),
  discord: z.record(aliasSchema, discordChannelSchema).default({}),
});
export type ChannelsConfig = z.infer<typeof channelsSchema>;
export type WebhookChannel = z.infer<typeof webhookChannelSchema>;
export type MqttChannel = z.infer<typeof mqttChannelSchema>;
export type TelegramChannel = z.infer<typeof telegramChannelSchema>;
export type SlackChannel = z.infer<typeof slackChannelSchema>;
export type DiscordChannel = z.infer<typeof discordChannelSchema>;

/** Who may meet on a channel. Membership authorizes nothing else. */
export const peerGroupSchema = z.strictObject({
  channel: z.string().min(1).describe('The binding, `<kind>.<alias>`.'),
  agents: z.array(aliasSchema).describe('Agents of the group; they may message each other.'),
  external_peers: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Senders outside that the agents listen to, as the channel names them; `*` is anyone.',
    ),
  ignore: z.array(z.string().min(1)).default([]).describe('Senders that are not listened to.'),
});
