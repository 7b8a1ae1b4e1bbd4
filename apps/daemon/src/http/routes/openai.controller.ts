import { Body, Controller, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TurnAnswer } from '@lockstep/engine';
import { seesAgent, type Caller } from '../../access/caller.ts';
import {
  chunkOf,
  completionOf,
  noAnswer,
  usageOf,
  waitingText,
  type Waits,
} from '../../paths/gateway/openai-answer.ts';
import { parseOpenAi } from '../../paths/gateway/openai.path.ts';
import {
  chatCompletionBody,
  chatCompletionSchema,
  modelListSchema,
  modelSchema,
  textOf,
  type ChatCompletionBody,
} from '../../paths/gateway/openai.schema.ts';
import { CallerParam, requireCaller } from '../caller.decorator.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { notFound, ProblemError } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import { aliasParam } from '../schemas/common.schema.ts';
import { SseChannel } from '../sse.ts';
import { AwaitTurn, RequestTurn } from '../turns/turn-commands.ts';
import { launchProblem } from './answers.ts';
import { idempotencyKey } from './launch.ts';

/** The chat completions protocol: an agent is a model, a turn a completion. */
@Controller('v1')
export class OpenAiController {
  readonly #parts: HttpParts;
  readonly #commands: CommandBus;
  readonly #queries: QueryBus;

  constructor(
    @Inject(HTTP_PARTS) parts: HttpParts,
    @Inject(CommandBus) commands: CommandBus,
    @Inject(QueryBus) queries: QueryBus,
  ) {
    this.#parts = parts;
    this.#commands = commands;
    this.#queries = queries;
  }

  @Get('models')
  @Route({
    access: ['viewer'],
    summary: 'The agents that take work, as models.',
    answers: { 200: modelListSchema },
  })
  models(@CallerParam() caller: Caller): unknown {
    return { object: 'list', data: this.#agents(caller).map((alias) => this.#model(alias)) };
  }

  @Get('models/:model')
  @Route({
    access: ['viewer'],
    summary: 'One agent, as a model.',
    answers: { 200: modelSchema },
  })
  model(
    @Param('model', { schema: aliasParam }) alias: string,
    @CallerParam() caller: Caller,
  ): unknown {
    if (!this.#agents(caller).includes(alias)) throw notFound('model', alias);
    return this.#model(alias);
  }

  @Post('chat/completions')
  @Route({
    access: ['operator'],
    summary: 'Start a turn in the form of a chat completion; a stream when `stream` is true.',
    answers: { 200: chatCompletionSchema },
  })
  async complete(
    @Body({ schema: chatCompletionBody }) body: ChatCompletionBody,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { principal, token } = requireCaller(request);
    const stream = body.stream ?? false;
    const launched = await this.#commands.execute(
      new RequestTurn(
        parseOpenAi({
          caller: { principal, token },
          model: body.model,
          messages: body.messages.map(({ role, content }) => ({ role, text: textOf(content) })),
          session: sessionOf(body, request),
          idempotencyKey: idempotencyKey(request),
          stream,
        }),
      ),
    );
    if (launched.kind !== 'accepted') throw launchProblem(launched);
    void reply.header('lockstep-session', launched.session).header('lockstep-turn', launched.turn);
    if (stream) await this.#stream(body, { id: launched.turn, agent: body.model }, request, reply);
    else await this.#whole(launched.turn, request, reply);
  }

  async #whole(turn: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const gone = new AbortController();
    const close = (): void => {
      gone.abort();
    };
    reply.raw.once('close', close);
    const answer = await this.#queries.execute(new AwaitTurn(turn, gone.signal));
    reply.raw.off('close', close);
    if (answer === null) throw notFound('turn', turn);
    if (answer.status === 'completed' || answer.status === 'waiting') {
      const waits = this.#waits(answer, request);
      await reply.status(200).send(completionOf(answer, waits, this.#seconds()));
      return;
    }
    // A client that tries again by itself would start the work a second time.
    void reply.status(answer.status === 'refused' ? 403 : 500).header('x-should-retry', 'false');
    await reply.send(noAnswer(answer));
  }

  async #stream(
    body: ChatCompletionBody,
    turn: { readonly id: string; readonly agent: string },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { live, sse, turns } = this.#parts;
    const caller = requireCaller(request);
    const channel = new SseChannel(request, reply, sse, null);
    live.add(channel, { token: caller.token, session: caller.session });
    const chunk = { ...turn, created: this.#seconds() };
    const withUsage = body.stream_options?.include_usage === true;
    const send = (content: object): void => {
      void channel.send({ data: withUsage ? { ...content, usage: null } : content });
    };
    send(chunkOf(chunk, { role: 'assistant', content: '' }, null));
    let streamed = '';
    const stop = turns.deltas(turn.id, ({ text }) => {
      streamed += text;
      send(chunkOf(chunk, { content: text }, null));
    });
    const answer = await this.#queries.execute(new AwaitTurn(turn.id, channel.signal));
    stop();
    if (answer?.status === 'completed' || answer?.status === 'waiting') {
      const waits = this.#waits(answer, request);
      const words = answer.status === 'waiting' ? waitingText(waits) : (answer.reply ?? '');
      // Text that nobody heard while it was made.
      const rest = streamed.endsWith(words) ? '' : `${streamed === '' ? '' : '\n\n'}${words}`;
      if (rest !== '') send(chunkOf(chunk, { content: rest }, null));
      send(chunkOf(chunk, {}, 'stop'));
      if (withUsage)
        await channel.send({
          data: { ...chunkOf(chunk, {}, null), choices: [], usage: usageOf(answer) },
        });
    } else if (answer !== null) await channel.send({ data: noAnswer(answer) });
    await channel.sendRaw('[DONE]');
    channel.end();
  }

  #agents(caller: Caller): string[] {
    const { agents } = this.#parts.config.current().config;
    return Object.entries(agents)
      .filter(
        ([alias, { enabled, provider, risk_profile, runtime_profile }]) =>
          enabled &&
          provider !== undefined &&
          risk_profile !== undefined &&
          runtime_profile !== undefined &&
          seesAgent(caller, alias),
      )
      .map(([alias]) => alias)
      .sort();
  }

  #model(id: string): unknown {
    const time = this.#parts.ledger.configVersions().at(-1)?.time ?? 0;
    return { id, object: 'model', created: Math.floor(time / 1000), owned_by: 'lockstep' };
  }

  #waits({ approvals }: TurnAnswer, request: FastifyRequest): Waits[] {
    const base = `${request.protocol}://${request.host}/v1`;
    return approvals.map((id) => {
      const kind = this.#parts.ledger.approval(id)?.kind ?? 'approval';
      const address =
        kind === 'question' ? `${base}/questions/${id}/answer` : `${base}/approvals/${id}/decision`;
      return { id, kind, address };
    });
  }

  #seconds(): number {
    return Math.floor(this.#parts.clock.now() / 1000);
  }
}

/** The session that a client names, in the header or among its metadata. */
const sessionOf = (body: ChatCompletionBody, request: FastifyRequest): string | null => {
  const header = request.headers['lockstep-session'];
  const named = body.metadata?.['session'];
  if (header === undefined) return named ?? null;
  if (typeof header !== 'string' || header.length < 1 || header.length > 200)
    throw badSession('must be the id of one session');
  if (named !== undefined && named !== header)
    throw badSession('is another one than `metadata.session`: name it once');
  return header;
};

const badSession = (message: string): ProblemError =>
  new ProblemError('invalid_body', 'the session cannot be read', {
    errors: [{ path: 'Lockstep-Session', message }],
  });
