import { z } from 'zod';

/** One message of any channel in the one shape that all of them have. */
export const channelMessageSchema = z.strictObject({
  /** `<kind>.<alias>`. */
  binding: z.string(),
  /** The channel's own name of the conversation. */
  conversation: z.string().min(1),
  /** A thread in the conversation, where the platform has them. */
  thread: z.string().min(1).nullable(),
  /** Who wrote, as the channel names them. */
  sender: z.string().min(1),
  /** The platform's id of the message: one of its kind in the conversation, so that a repeat is known. */
  id: z.string().min(1),
  text: z.string().min(1),
  /** Where an answer goes, in words of the adapter alone; usually the id of the message. */
  address: z.string().min(1),
});
export type ChannelMessage = z.infer<typeof channelMessageSchema>;

/** What an adapter makes of a frame: a message, nothing that concerns an agent, or what it is refused for. */
export type ParsedFrame =
  | { readonly kind: 'message'; readonly message: ChannelMessage }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'garbage'; readonly why: string };

/** The most that is taken of one message, in UTF-16 units. */
export const longestText = 64 * 1024;

export const nothing: ParsedFrame = { kind: 'nothing' };
export const garbage = (why: string): ParsedFrame => ({ kind: 'garbage', why });

/** A message that fits the shape, or what is wrong with it. */
export const messageOf = (message: ChannelMessage): ParsedFrame => {
  if (!channelMessageSchema.safeParse(message).success)
    return garbage('a part is missing or empty');
  if (message.text.length > longestText)
    return garbage(`the text is longer than ${longestText} characters`);
  if (!Object.values(message).every((part) => part === null || part.isWellFormed()))
    return garbage('the message is no well-formed Unicode');
  return { kind: 'message', message };
};
