import { z } from 'zod';
import { aliasSchema } from '@lockstep/policy';

export const channelListSchema = z
  .strictObject({
    items: z.array(
      z.strictObject({
        binding: z.string(),
        kind: z.string(),
        owner: aliasSchema.nullable(),
        state: z.enum(['starting', 'running', 'reconnecting', 'failed', 'stopped']),
        /** Since when, in ms since the epoch. */
        since: z.int(),
        error: z.string().nullable(),
      }),
    ),
    next: z.null(),
  })
  .meta({ id: 'ChannelList' });

export const webhookAnswerSchema = z
  .strictObject({ turn: z.string(), session: z.string(), repeat: z.boolean() })
  .meta({ id: 'WebhookAccepted' });

export const webhookCommandSchema = z
  .strictObject({ text: z.string() })
  .meta({ id: 'WebhookCommand' });

export const conversationSchema = z
  .strictObject({
    conversation: z.string(),
    thread: z.string().nullable(),
    /** The last turns, oldest first. */
    turns: z.array(
      z.strictObject({
        id: z.string(),
        status: z.string(),
        reply: z.string().nullable(),
        reason: z.string().nullable(),
      }),
    ),
    questions: z.array(
      z.strictObject({
        code: z.string(),
        kind: z.enum(['approval', 'question']),
        text: z.string(),
        commands: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'ChannelConversation' });

export const conversationQuery = z.strictObject({ thread: z.string().min(1).max(200).optional() });
