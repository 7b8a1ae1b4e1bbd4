import { z } from 'zod';
import {
  garbage,
  messageOf,
  nothing,
  type ChannelMessage,
  type ParsedFrame,
} from '../channel-message.ts';

/** A dispatch of the gateway, as far as this adapter reads it. */
export interface DiscordFrame {
  readonly t: string | null;
  readonly d: unknown;
}

const user = z.looseObject({ id: z.string(), bot: z.boolean().optional() });
const created = z.looseObject({
  id: z.string(),
  channel_id: z.string(),
  content: z.string(),
  author: user,
  webhook_id: z.string().optional(),
  type: z.int().optional(),
});
const interaction = z.looseObject({
  id: z.string(),
  token: z.string(),
  type: z.int(),
  channel_id: z.string(),
  user: user.optional(),
  member: z.looseObject({ user }).optional(),
  message: z.looseObject({ id: z.string() }).optional(),
  data: z.looseObject({ custom_id: z.string() }).optional(),
});

/** Ordinary messages and replies; all other types are notices of the platform. */
const ordinary = new Set([0, 19]);
const componentType = 3;

/** The message in a frame: what a person wrote, or a button that they pressed. A thread is a channel of its own on Discord. */
export const parseDiscord = ({ t, d }: DiscordFrame, binding: string): ParsedFrame => {
  if (t === 'MESSAGE_CREATE') return fromMessage(d, binding);
  if (t === 'INTERACTION_CREATE') return fromInteraction(d, binding);
  return nothing;
};

const fromMessage = (data: unknown, binding: string): ParsedFrame => {
  const read = created.safeParse(data);
  if (!read.success) return garbage('the message has another form than expected');
  const { id, channel_id: conversation, author, content, type = 0, webhook_id } = read.data;
  if (author.bot === true || webhook_id !== undefined || !ordinary.has(type)) return nothing;
  const text = content.replace(/^\s*<@!?\d+>\s*/, '');
  return text === ''
    ? nothing
    : messageOf({ binding, conversation, thread: null, sender: author.id, id, text, address: id });
};

const fromInteraction = (data: unknown, binding: string): ParsedFrame => {
  const read = interaction.safeParse(data);
  if (!read.success) return garbage('the interaction has another form than expected');
  const { id, type, channel_id: conversation, message, data: pressed } = read.data;
  const sender = (read.data.member?.user ?? read.data.user)?.id;
  if (type !== componentType || pressed === undefined || sender === undefined) return nothing;
  return messageOf({
    binding,
    conversation,
    thread: null,
    sender,
    id: `press-${id}`,
    text: pressed.custom_id,
    address: message?.id ?? id,
  });
};

/** What an interaction is acknowledged with; null for other frames. */
export const interactionOf = ({
  t,
  d,
}: DiscordFrame): { readonly id: string; readonly token: string } | null =>
  t === 'INTERACTION_CREATE' ? (interaction.safeParse(d).data ?? null) : null;

/** The frame that says a message; null when it cannot be one. Parsing it again gives the same message. */
export const encodeDiscord = (said: ChannelMessage): DiscordFrame | null => {
  const { conversation, thread, sender, id, text, address } = said;
  if (thread !== null || /^\s*<@!?\d+>/.test(text)) return null;
  const author = { id: sender, username: sender, discriminator: '0', bot: false };
  const [, pressed] = /^press-(.+)$/s.exec(id) ?? [];
  if (pressed !== undefined)
    return {
      t: 'INTERACTION_CREATE',
      d: {
        id: pressed,
        token: 'answer',
        type: componentType,
        version: 1,
        application_id: '1',
        channel_id: conversation,
        user: author,
        message: { id: address },
        data: { custom_id: text, component_type: 2 },
        authorizing_integration_owners: {},
      },
    };
  if (address !== id) return null;
  return {
    t: 'MESSAGE_CREATE',
    d: { id, channel_id: conversation, content: text, author, type: 0 },
  };
};
