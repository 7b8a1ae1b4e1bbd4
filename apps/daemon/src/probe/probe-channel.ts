import type { ParsedFrame, ChannelMessage } from '../paths/channel/channel-message.ts';
import type { Channel, ChannelEnd, Sent } from '../paths/channel/channel.port.ts';
import { encodeDiscord, parseDiscord } from '../paths/channel/discord/discord.wire.ts';
import { encodeMqtt, parseMqtt } from '../paths/channel/mqtt/mqtt.wire.ts';
import { encodeSlack, parseSlack } from '../paths/channel/slack/slack.wire.ts';
import { encodeTelegram, parseTelegram } from '../paths/channel/telegram/telegram.wire.ts';
import { encodeWebhook, parseWebhook } from '../paths/channel/webhook/webhook.wire.ts';

type ChannelKind = 'webhook' | 'mqtt' | 'telegram' | 'slack' | 'discord';

/** A message as the platform would send it, read as the adapter reads it. */
const overTheWire: Readonly<Record<ChannelKind, (message: ChannelMessage) => ParsedFrame | null>> =
  {
    webhook: (message) => parseWebhook(message.binding, encodeWebhook(message)),
    mqtt: (message) => {
      const form = { binding: message.binding, filter: 'in/+', senderLevel: null };
      const frame = encodeMqtt(message, form);
      return frame === null ? null : parseMqtt(frame, form);
    },
    telegram: (message) => {
      const update = encodeTelegram(message, 1);
      return update === null ? null : parseTelegram(update, message.binding);
    },
    slack: (message) => {
      const frame = encodeSlack(message);
      return frame === null ? null : parseSlack(frame, message.binding);
    },
    discord: (message) => {
      const frame = encodeDiscord(message);
      return frame === null ? null : parseDiscord(frame, message.binding);
    },
  };

/** Channels without their platforms: what comes in passes the adapter's own wire form, what goes out goes nowhere. */
export class ProbeChannels {
  readonly #ends = new Map<string, ChannelEnd>();
  #ids = 1_000;

  readonly make =
    (binding: string) =>
    (end: ChannelEnd): Channel => {
      this.#ends.set(binding, end);
      return {
        limit: 64 * 1024,
        knowsRepeats: 'always',
        start: () => Promise.resolve(),
        stop: () => Promise.resolve(),
        send: (): Promise<Sent> => Promise.resolve({ ok: true, receipt: 'kept' }),
      };
    };

  /** Says something on a channel as a person outside would.
   * @throws Error when the message has no form on that platform */
  say(binding: string, sender: string, said: { text: string; conversation: string }) {
    const end = this.#ends.get(binding);
    const kind = binding.split('.', 1)[0] as ChannelKind;
    if (end === undefined) throw new Error(`the channel \`${binding}\` does not run`);
    this.#ids += 1;
    const id = kind === 'slack' ? `${this.#ids}.000100` : String(this.#ids);
    const address = kind === 'mqtt' ? JSON.stringify({ id, topic: null, correlation: null }) : id;
    const parsed = overTheWire[kind]({ binding, thread: null, sender, id, address, ...said });
    if (parsed?.kind !== 'message')
      throw new Error(`a message of \`${sender}\` has no form on \`${binding}\``);
    return end.receive(parsed.message);
  }
}

/** Names that a platform could give, for a channel that lets anybody in. */
export const strangerOn = (binding: string): string =>
  /^(telegram|discord)\./.test(binding)
    ? '7001'
    : binding.startsWith('slack.')
      ? 'U7001'
      : 'user-1';

/** A conversation as the platform names them. */
export const conversationOn = (binding: string, n: number): string =>
  binding.startsWith('telegram.')
    ? String(-100 - n)
    : binding.startsWith('discord.')
      ? String(50 + n)
      : binding.startsWith('slack.')
        ? `C${n}`
        : `c${n}`;
