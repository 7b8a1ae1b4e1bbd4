import { connectAsync } from 'mqtt';
import {
  encodeDiscord,
  encodeMqtt,
  encodeSlack,
  encodeTelegram,
  encodeWebhook,
  type ChannelMessage,
} from '@lockstep/daemon';
import { startDiscordServer } from './discord-server.ts';
import { startMosquitto } from './mosquitto.ts';
import { postSignedBody } from './signed-webhook.ts';
import { startSlackServer } from './slack-server.ts';
import { startTelegramServer } from './telegram-server.ts';

/** Says one thing on a channel, as a person outside would. */
export interface ChannelDriver {
  /** The table of the channel, for a config that has none of that name. */
  readonly config: string;
  readonly binding: string;
  /** Name of the n-th person, as the platform names people; for peer groups and `[people]`. */
  readonly peer: (n: number) => string;
  /** Resolves when the platform has the message; the daemon may take it later. Call it when the channel runs.
   * @param url of the daemon */
  readonly send: (
    url: string,
    said: { readonly peer: number; readonly text: string; readonly conversation?: number },
  ) => Promise<void>;
  /** Texts that the daemon sent out, oldest first. */
  readonly replies: () => readonly string[];
  readonly close: () => Promise<void>;
}

type Kind = 'webhook' | 'mqtt' | 'telegram' | 'slack' | 'discord';

const secret = 'key-of-the-channel-drivers';
process.env['CHANNEL_DRIVER_SECRET'] = secret;
const secretRef = '{ env = "CHANNEL_DRIVER_SECRET" }';

let ids = 1_000;

/** A message with ids of its own, in the names of a platform. */
const messageOf = (
  binding: string,
  names: { readonly peer: string; readonly conversation: string },
  text: string,
): ChannelMessage => {
  ids += 1;
  const id = String(ids);
  const { conversation, peer: sender } = names;
  return { binding, conversation, thread: null, sender, id, text, address: id };
};

const missing = (): never => {
  throw new Error('the message has no wire form');
};

const webhook = (alias: string): Promise<ChannelDriver> => {
  const binding = `webhook.${alias}`;
  const peer = (n: number): string => `user:${n}`;
  return Promise.resolve({
    binding,
    peer,
    config: `[channels.webhook.${alias}]\nsecret = ${secretRef}\n`,
    send: async (url, { peer: n, text, conversation = 1 }) => {
      const names = { peer: peer(n), conversation: `room-${conversation}` };
      const body = encodeWebhook(messageOf(binding, names, text));
      await postSignedBody({ url, alias, secret }, body);
    },
    replies: () => [],
    close: () => Promise.resolve(),
  });
};

const mqtt = async (alias: string): Promise<ChannelDriver> => {
  const binding = `mqtt.${alias}`;
  const broker = await startMosquitto();
  const client = await connectAsync(broker.url, { protocolVersion: 5 });
  const replies: string[] = [];
  client.on('message', (_topic, payload) => {
    replies.push((JSON.parse(payload.toString()) as { readonly text: string }).text);
  });
  await client.subscribeAsync('out', { qos: 1 });
  const form = { binding, filter: 'in/+', senderLevel: 2 };
  const peer = (n: number): string => `user-${n}`;
  return {
    binding,
    peer,
    config: `[channels.mqtt.${alias}]\nurl = "${broker.url}"\ntopic = "in/+"\nsender_level = 2\nreply_topic = "out"\n`,
    send: async (_url, { peer: n, text, conversation = 1 }) => {
      const said = messageOf(binding, { peer: peer(n), conversation: `c${conversation}` }, text);
      const address = JSON.stringify({ id: said.id, topic: null, correlation: null });
      const frame = encodeMqtt({ ...said, address }, form) ?? missing();
      await client.publishAsync(frame.topic, frame.payload, { qos: 1 });
    },
    replies: () => replies,
    close: async () => {
      await client.endAsync(true);
      await broker.remove();
    },
  };
};

const telegram = async (alias: string): Promise<ChannelDriver> => {
  const binding = `telegram.${alias}`;
  const server = await startTelegramServer();
  const peer = (n: number): string => String(7_000 + n);
  return {
    binding,
    peer,
    config: `[channels.telegram.${alias}]\ntoken = ${secretRef}\napi_url = "${server.url}"\n`,
    send: (_url, { peer: n, text, conversation = 1 }) => {
      const names = { peer: peer(n), conversation: String(-100 - conversation) };
      server.push(encodeTelegram(messageOf(binding, names, text), ids) ?? missing());
      return Promise.resolve();
    },
    replies: () =>
      server.calls
        .filter(({ method }) => method === 'sendMessage')
        .map(({ body }) => String(body['text'])),
    close: () => server.close(),
  };
};

const slack = async (alias: string): Promise<ChannelDriver> => {
  const binding = `slack.${alias}`;
  const server = await startSlackServer();
  const peer = (n: number): string => `U${n}`;
  return {
    binding,
    peer,
    config: `[channels.slack.${alias}]\nbot_token = ${secretRef}\napp_token = ${secretRef}\napi_url = "${server.url}"\n`,
    send: (_url, { peer: n, text, conversation = 1 }) => {
      const names = { peer: peer(n), conversation: `C${conversation}` };
      const frame = encodeSlack(messageOf(binding, names, text)) ?? missing();
      server.push(frame.type, frame.body);
      return Promise.resolve();
    },
    replies: () =>
      server.calls
        .filter(({ method }) => method === 'chat.postMessage')
        .map(({ body }) => body['text'] ?? ''),
    close: () => server.close(),
  };
};

const discord = async (alias: string): Promise<ChannelDriver> => {
  const binding = `discord.${alias}`;
  const server = await startDiscordServer();
  const peer = (n: number): string => String(7_000 + n);
  return {
    binding,
    peer,
    config: `[channels.discord.${alias}]\ntoken = ${secretRef}\napi_url = "${server.url}"\n`,
    send: (_url, { peer: n, text, conversation = 1 }) => {
      const names = { peer: peer(n), conversation: String(50 + conversation) };
      const frame = encodeDiscord(messageOf(binding, names, text)) ?? missing();
      if (frame.t !== null && typeof frame.d === 'object' && frame.d !== null)
        server.push(frame.t, frame.d);
      return Promise.resolve();
    },
    replies: () =>
      server.calls
        .filter(({ path }) => path.endsWith('/messages'))
        .map(({ body }) => String(body['content'])),
    close: () => server.close(),
  };
};

/** A driver for each trigger that a channel adapter has. */
export const channelDrivers: Readonly<Record<Kind, (alias: string) => Promise<ChannelDriver>>> = {
  webhook,
  mqtt,
  telegram,
  slack,
  discord,
};
