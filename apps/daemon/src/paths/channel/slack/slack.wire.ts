import { z } from 'zod';
import {
  garbage,
  messageOf,
  nothing,
  type ChannelMessage,
  type ParsedFrame,
} from '../channel-message.ts';

/** What comes by the socket: its type, and the body that belongs to it. */
export interface SlackFrame {
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const event = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  bot_id: z.string().optional(),
  channel: z.string().optional(),
  user: z.string().optional(),
  text: z.string().optional(),
  ts: z.string().optional(),
  thread_ts: z.string().optional(),
});
const eventBody = z.looseObject({ event });
const command = z.looseObject({
  command: z.string(),
  text: z.string().optional(),
  channel_id: z.string(),
  user_id: z.string(),
  trigger_id: z.string(),
});
const press = z.looseObject({
  type: z.literal('block_actions'),
  user: z.looseObject({ id: z.string() }),
  channel: z.looseObject({ id: z.string() }),
  message: z.looseObject({ ts: z.string(), thread_ts: z.string().optional() }),
  actions: z.array(z.looseObject({ value: z.string().optional(), action_ts: z.string() })).min(1),
});

/** The message in a frame: what a person wrote, a slash command, or a button that they pressed. A message that names the bot comes as
 * two events with one time stamp, which is its id: they are one message. */
export const parseSlack = ({ type, body }: SlackFrame, binding: string): ParsedFrame => {
  if (type === 'events_api') return fromEvent(body, binding);
  if (type === 'slash_commands') return fromCommand(body, binding);
  if (type === 'interactive') return fromPress(body, binding);
  return nothing;
};

const fromEvent = (body: SlackFrame['body'], binding: string): ParsedFrame => {
  const read = eventBody.safeParse(body);
  if (!read.success) return garbage('the event has another form than expected');
  const { type, subtype, bot_id: bot, channel, user, text, ts, thread_ts } = read.data.event;
  if (type !== 'message' && type !== 'app_mention') return nothing;
  // Edits, joins and what programs write are nobody's message.
  if (subtype !== undefined || bot !== undefined || user === undefined) return nothing;
  if (channel === undefined || ts === undefined) return garbage('the event names no channel');
  const plain = plainText(text ?? '');
  if (plain === '') return nothing;
  return messageOf({
    binding,
    conversation: channel,
    thread: thread_ts ?? null,
    sender: user,
    id: ts,
    text: plain,
    address: ts,
  });
};

const fromCommand = (body: SlackFrame['body'], binding: string): ParsedFrame => {
  const read = command.safeParse(body);
  if (!read.success) return garbage('the command has another form than expected');
  const { command: name, text = '', channel_id: conversation, user_id: sender } = read.data;
  const id = `command-${read.data.trigger_id}`;
  const said = `${name} ${plainText(text)}`.trim();
  return messageOf({ binding, conversation, thread: null, sender, id, text: said, address: id });
};

const fromPress = (body: SlackFrame['body'], binding: string): ParsedFrame => {
  const read = press.safeParse(body);
  if (!read.success) return nothing;
  const { user, channel, message, actions } = read.data;
  const [action] = actions;
  if (action?.value === undefined) return nothing;
  return messageOf({
    binding,
    conversation: channel.id,
    thread: message.thread_ts ?? null,
    sender: user.id,
    id: `press-${action.action_ts}`,
    text: action.value,
    address: message.ts,
  });
};

/** The frame that says a message. Parsing it again gives the same message. */
export const encodeSlack = (said: ChannelMessage): SlackFrame | null => {
  const { conversation, sender, thread, id, text, address } = said;
  const [, pressed] = /^press-(.+)$/s.exec(id) ?? [];
  if (pressed !== undefined)
    return {
      type: 'interactive',
      body: {
        type: 'block_actions',
        user: { id: sender },
        channel: { id: conversation },
        message: { ts: address, ...(thread === null ? {} : { thread_ts: thread }) },
        actions: [{ action_id: 'do', value: text, action_ts: pressed }],
      },
    };
  if (address !== id || id.startsWith('command-')) return null;
  return {
    type: 'events_api',
    body: {
      type: 'event_callback',
      event_id: `Ev${id}`,
      event: {
        type: 'message',
        channel: conversation,
        user: sender,
        text: escaped(text),
        ts: id,
        ...(thread === null ? {} : { thread_ts: thread }),
      },
    },
  };
};

/** Slack's own form of three characters; everything else in angle brackets is a link, a mention or a call to everybody. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The text without the mention that it begins with. */
const plainText = (text: string): string =>
  text
    .replace(/^\s*<@[A-Z0-9]+(?:\|[^>]*)?>\s*/, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
