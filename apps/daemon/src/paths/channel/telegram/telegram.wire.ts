import { z } from 'zod';
import {
  garbage,
  messageOf,
  nothing,
  type ChannelMessage,
  type ParsedFrame,
} from '../channel-message.ts';

const user = z.looseObject({ id: z.int(), is_bot: z.boolean().optional() });
const message = z.looseObject({
  message_id: z.int(),
  message_thread_id: z.int().optional(),
  is_topic_message: z.boolean().optional(),
  chat: z.looseObject({ id: z.int() }),
  from: user.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
});

/** The parts of an update that this adapter reads. */
const updateSchema = z.looseObject({
  update_id: z.int(),
  message: message.optional(),
  callback_query: z
    .looseObject({
      id: z.string(),
      from: user,
      message: message.optional(),
      data: z.string().optional(),
    })
    .optional(),
});
export type TelegramUpdate = z.infer<typeof updateSchema>;
type Parsed = NonNullable<TelegramUpdate['message']>;

/** What the Chat SDK puts before the payload of a button. */
const buttonPrefix = 'chat:';

/** The message in an update: one that a person wrote, or a button that they pressed. Edits are no new messages. */
export const parseTelegram = (update: unknown, binding: string): ParsedFrame => {
  const read = updateSchema.safeParse(update);
  if (!read.success) return garbage('the update has another form than expected');
  const { message: wrote, callback_query: pressed } = read.data;
  if (pressed?.message !== undefined) {
    const text = buttonText(pressed.data ?? '');
    return text === null
      ? nothing
      : spoken(pressed.message, { binding, sender: pressed.from, text, id: `press-${pressed.id}` });
  }
  if (wrote?.from === undefined || wrote.from.is_bot === true) return nothing;
  const text = wrote.text ?? wrote.caption ?? '';
  return text === ''
    ? nothing
    : spoken(wrote, { binding, sender: wrote.from, text, id: String(wrote.message_id) });
};

const spoken = (
  { chat, message_thread_id: thread, message_id: address }: Parsed,
  of: {
    readonly binding: string;
    readonly sender: { readonly id: number };
    readonly text: string;
    readonly id: string;
  },
): ParsedFrame =>
  messageOf({
    binding: of.binding,
    conversation: String(chat.id),
    thread: thread === undefined ? null : String(thread),
    sender: String(of.sender.id),
    id: of.id,
    text: of.text,
    address: String(address),
  });

/** The command behind a button of ours. */
const buttonText = (data: string): string | null => {
  if (!data.startsWith(buttonPrefix)) return null;
  try {
    const read = z
      .looseObject({ v: z.string() })
      .safeParse(JSON.parse(data.slice(buttonPrefix.length)));
    return read.data?.v ?? null;
  } catch {
    return null;
  }
};

/** The update that says a message; null when Telegram has none that does. Parsing it again gives the same message. */
export const encodeTelegram = (said: ChannelMessage, updateId: number): TelegramUpdate | null => {
  const [chat, from, id] = [said.conversation, said.sender, said.address].map(integer);
  const thread = said.thread === null ? undefined : integer(said.thread);
  if (chat === undefined || from === undefined || id === undefined) return null;
  if (said.thread !== null && thread === undefined) return null;
  const at = {
    message_id: id,
    chat: { id: chat, type: chat === from ? 'private' : 'supergroup' },
    date: 0,
    ...(thread === undefined ? {} : { message_thread_id: thread }),
  };
  const who = { id: from, is_bot: false, first_name: said.sender };
  if (said.id === said.address)
    return { update_id: updateId, message: { ...at, from: who, text: said.text } };
  const [, press] = /^press-(.+)$/s.exec(said.id) ?? [];
  if (press === undefined) return null;
  const data = `${buttonPrefix}${JSON.stringify({ a: 'do', v: said.text })}`;
  const callback = { id: press, from: who, message: at, data, chat_instance: '0' };
  return { update_id: updateId, callback_query: callback };
};

const integer = (text: string): number | undefined => {
  const number = Number(text);
  return Number.isSafeInteger(number) && String(number) === text ? number : undefined;
};
