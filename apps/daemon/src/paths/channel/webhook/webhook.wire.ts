import { z } from 'zod';
import { garbage, messageOf, type ChannelMessage, type ParsedFrame } from '../channel-message.ts';

const name = z.string().min(1).max(200);

/** The body of `POST /v1/channels/:alias/webhook`. */
export const webhookBody = z
  .strictObject({
    id: name.describe("The sender's own id of the message: a repeat is the same message."),
    conversation: name,
    thread: name.optional(),
    sender: name.describe('Who wrote, as peer groups and people name them.'),
    text: z.string().min(1),
  })
  .meta({ id: 'WebhookMessage' });

/** The message in a body whose signature held. */
export const parseWebhook = (binding: string, body: string): ParsedFrame => {
  const json = jsonOf(body);
  const read = webhookBody.safeParse(json);
  if (!read.success) {
    const [issue] = read.error.issues;
    return garbage(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is no message'}`);
  }
  const { thread = null, ...rest } = read.data;
  return messageOf({ binding, ...rest, thread, address: rest.id });
};

/** The body that says a message. Parsing it again gives the same message. */
export const encodeWebhook = ({ id, conversation, thread, sender, text }: ChannelMessage): string =>
  JSON.stringify({ id, conversation, ...(thread === null ? {} : { thread }), sender, text });

const jsonOf = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
};
