import { Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { seesAgent, type Caller } from '../../access/caller.ts';
import { CHANNELS, type ChannelManager } from '../../paths/channel/channel-manager.ts';
import type { WebhookAnswer } from '../../paths/channel/webhook/webhook-channel.ts';
import { signatureHeader, timestampHeader } from '../../paths/channel/webhook/webhook-signature.ts';
import { CallerParam } from '../caller.decorator.ts';
import { ProblemError } from '../problem.ts';
import { rawBody } from '../raw-body.ts';
import { Route } from '../route.decorator.ts';
import {
  channelListSchema,
  conversationQuery,
  conversationSchema,
  webhookAnswerSchema,
  webhookCommandSchema,
} from '../schemas/channel.schema.ts';
import { aliasParam, idSchema } from '../schemas/common.schema.ts';

/** The channels, and what comes in by signed webhooks. */
@Controller('v1/channels')
export class ChannelsController {
  readonly #channels: ChannelManager;

  constructor(@Inject(CHANNELS) channels: ChannelManager) {
    this.#channels = channels;
  }

  @Get()
  @Route({
    access: ['viewer'],
    summary: 'The channels, whom they lead to, and how they stand.',
    answers: { 200: channelListSchema },
  })
  list(@CallerParam() caller: Caller): unknown {
    const seen = (owner: string | null): boolean =>
      owner === null ? caller.scopes.agents.includes('*') : seesAgent(caller, owner);
    return { items: this.#channels.list().filter(({ owner }) => seen(owner)), next: null };
  }

  @Post(':alias/webhook')
  @Route({
    access: 'public',
    summary:
      'A message by a signed webhook: `lockstep-timestamp` in seconds, `lockstep-signature` = `v1=` and the HMAC-SHA256 of time stamp, dot and body.',
    answers: { 200: webhookCommandSchema, 202: webhookAnswerSchema },
  })
  async webhook(
    @Param('alias', { schema: aliasParam }) alias: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const channel = this.#channels.webhook(alias);
    // Whether there is such a channel is nobody's business who cannot sign.
    if (channel === null) {
      await this.#channels.inbound.refused('webhook', 'no such channel');
      throw unsigned();
    }
    const answer = await channel.take({ ...signedBy(request), body: rawBody(request) });
    const { status, body } = answered(answer);
    void reply.status(status);
    return body;
  }

  @Get(':alias/conversations/:id')
  @Route({
    access: 'public',
    summary:
      'Replies and questions of a conversation, signed like a message, the address with its query in place of the body.',
    answers: { 200: conversationSchema },
  })
  async conversation(
    @Param('alias', { schema: aliasParam }) alias: string,
    @Param('id', { schema: idSchema }) id: string,
    @Query({ schema: conversationQuery }) query: { readonly thread?: string | undefined },
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const channel = this.#channels.webhook(alias);
    if (channel?.isSigned(signedBy(request), request.url) !== true) {
      await this.#channels.inbound.refused(
        channel === null ? 'webhook' : `webhook.${alias}`,
        'a conversation asked for without a valid signature',
      );
      throw unsigned();
    }
    const thread = query.thread ?? null;
    return this.#channels.conversation({ binding: `webhook.${alias}`, conversation: id, thread });
  }
}

const signedBy = ({ headers }: FastifyRequest): { timestamp?: string; signature?: string } => {
  const [timestamp, signature] = [headers[timestampHeader], headers[signatureHeader]];
  return {
    ...(typeof timestamp === 'string' ? { timestamp } : {}),
    ...(typeof signature === 'string' ? { signature } : {}),
  };
};

const unsigned = (): ProblemError =>
  new ProblemError('unauthenticated', 'the signature is missing, wrong or too old');

const answered = (answer: WebhookAnswer): { readonly status: number; readonly body: unknown } => {
  switch (answer.kind) {
    case 'turn': {
      const { turn, session, repeat } = answer;
      return { status: 202, body: { turn, session, repeat } };
    }
    case 'command':
      return { status: 200, body: { text: answer.text } };
    case 'unsigned':
      throw unsigned();
    case 'invalid':
      throw new ProblemError('invalid_body', answer.why);
    case 'repeated':
      throw new ProblemError('idempotency_key_reused', 'this command was taken before, or may be');
    case 'reused':
      throw new ProblemError(
        'idempotency_key_reused',
        'this id came with another text before: use a new one',
      );
    case 'refused':
      throw new ProblemError('forbidden', answer.shown ?? 'the message is not let in');
    case 'unavailable':
      throw new ProblemError('stopped', answer.message);
  }
};
