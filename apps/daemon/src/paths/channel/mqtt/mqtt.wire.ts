import { z } from 'zod';
import { garbage, messageOf, type ChannelMessage, type ParsedFrame } from '../channel-message.ts';

/** A publication as it comes from the broker. */
export interface MqttFrame {
  readonly topic: string;
  readonly payload: string;
  readonly responseTopic: string | null;
  /** Base64. */
  readonly correlation: string | null;
}

export interface MqttForm {
  readonly binding: string;
  /** The filter that messages come in on: an answer must not come in again. */
  readonly filter: string;
  /** 1-based level of the topic that names the sender; null = the payload does. */
  readonly senderLevel: number | null;
}

const name = z.string().min(1).max(200);
const payloadSchema = z.strictObject({
  id: name,
  conversation: name.optional(),
  thread: name.optional(),
  sender: name.optional(),
  text: z.string().min(1),
});

/** Where an answer goes: the message it answers, and what its sender asked for. */
export const addressSchema = z.strictObject({
  id: z.string(),
  topic: z.string().nullable(),
  correlation: z.string().nullable(),
});
export type MqttAddress = z.infer<typeof addressSchema>;

/** The message in a publication. The conversation is the sender's own unless it names another. */
export const parseMqtt = (frame: MqttFrame, form: MqttForm): ParsedFrame => {
  const read = payloadSchema.safeParse(jsonOf(frame.payload));
  if (!read.success) {
    const [issue] = read.error.issues;
    return garbage(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is no message'}`);
  }
  const { id, thread = null, text, sender: claimed } = read.data;
  if (form.senderLevel !== null && claimed !== undefined)
    return garbage('the topic names the sender, the message must not');
  const sender = form.senderLevel === null ? claimed : frame.topic.split('/')[form.senderLevel - 1];
  if (sender === undefined || sender === '') return garbage('no sender is named');
  const { responseTopic: topic, correlation } = frame;
  if (topic !== null && !mayAnswerOn(topic, form.filter))
    return garbage('answers cannot go to its response topic');
  const address: MqttAddress = { id, topic, correlation };
  const conversation = read.data.conversation ?? sender;
  const { binding } = form;
  const at = JSON.stringify(address);
  return messageOf({ binding, conversation, thread, sender, id, text, address: at });
};

/** The publication that says a message; null when it cannot be one. Parsing it again gives the same message. */
export const encodeMqtt = (message: ChannelMessage, form: MqttForm): MqttFrame | null => {
  const address = addressOf(message.address);
  if (address?.id !== message.id) return null;
  const { id, conversation, thread, sender, text } = message;
  const topic = topicOf(form, sender);
  if (topic === null) return null;
  return {
    topic,
    payload: JSON.stringify({
      id,
      conversation,
      ...(thread === null ? {} : { thread }),
      ...(form.senderLevel === null ? { sender } : {}),
      text,
    }),
    responseTopic: address.topic,
    correlation: address.correlation,
  };
};

export const addressOf = (text: string): MqttAddress | null =>
  addressSchema.safeParse(jsonOf(text)).data ?? null;

/** A topic that the filter takes and that names the sender where it should. */
const topicOf = ({ filter, senderLevel }: MqttForm, sender: string): string | null => {
  const levels = filter.split('/').map((level) => (level === '+' || level === '#' ? 'x' : level));
  if (senderLevel === null) return levels.join('/');
  if (/[/+#\0]/.test(sender)) return null;
  while (levels.length < senderLevel) levels.push('x');
  levels[senderLevel - 1] = sender;
  const topic = levels.join('/');
  return matches(topic, filter) ? topic : null;
};

/** No pattern, nothing of the broker's own, and nothing that would come back in. */
const mayAnswerOn = (topic: string, filter: string): boolean =>
  topic.length <= 1000 && !/^$|^\$|[+#\0]/.test(topic) && !matches(topic, filter);

const matches = (topic: string, filter: string): boolean => {
  const parts = topic.split('/');
  const patterns = filter.replace(/^\$share\/[^/]+\//, '').split('/');
  for (const [index, pattern] of patterns.entries()) {
    if (pattern === '#') return true;
    const part = parts[index];
    if (part === undefined || (pattern !== '+' && pattern !== part)) return false;
  }
  return parts.length === patterns.length;
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
