import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TurnAnswer } from '@lockstep/engine';
import type { PathName } from '@lockstep/policy';
import type { Caller } from '../../access/caller.ts';
import type { LaunchResult, TurnRequest } from '../../turns/turns.port.ts';
import { EventStreams } from '../event-streams.ts';
import { ProblemError } from '../problem.ts';
import { AwaitTurn, FindTurn, RequestTurn } from '../turns/turn-commands.ts';
import { launchProblem } from './answers.ts';

type Accepted = Extract<LaunchResult, { readonly kind: 'accepted' }>;

/** One launch over HTTP. */
export interface LaunchCall {
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly path: PathName;
  readonly wait: boolean;
}

export const wantsStream = (request: FastifyRequest): boolean =>
  (request.headers.accept ?? '').includes('text/event-stream');

/** The caller's Idempotency-Key, or null.
 * @throws ProblemError when it is no key */
export const idempotencyKey = (request: FastifyRequest): string | null => {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && key.length >= 1 && key.length <= 255) return key;
  throw new ProblemError('invalid_body', 'the Idempotency-Key must have 1 to 255 characters', {
    errors: [{ path: 'Idempotency-Key', message: 'must have 1 to 255 characters' }],
  });
};

/** Starts a turn for a caller and answers in the form that was asked for: at once, when it settles, or as a stream. */
@Injectable()
export class Launcher {
  readonly #commands: CommandBus;
  readonly #queries: QueryBus;
  readonly #streams: EventStreams;

  constructor(
    @Inject(CommandBus) commands: CommandBus,
    @Inject(QueryBus) queries: QueryBus,
    @Inject(EventStreams) streams: EventStreams,
  ) {
    this.#commands = commands;
    this.#queries = queries;
    this.#streams = streams;
  }

  async launch(request: TurnRequest, call: LaunchCall): Promise<void> {
    const launched = await this.#commands.execute(new RequestTurn(request));
    if (launched.kind !== 'accepted') throw launchProblem(launched);
    void call.reply.header('location', `/v1/turns/${launched.turn}`);
    if (wantsStream(call.request)) {
      const after = launched.repeat ? 'start' : launched.position;
      await this.#streams.followTurn(call, launched.turn, {
        after,
        content: true,
        until: 'settled',
      });
      return;
    }
    const answer = call.wait
      ? await this.#awaited(launched.turn, call)
      : await this.#queries.execute(new FindTurn(launched.turn));
    const shown = answer ?? queued(launched, request.agent, call.path);
    const ended = shown.status !== 'queued' && shown.status !== 'running';
    void call.reply
      .status(call.wait && ended && shown.status !== 'waiting' ? 200 : 202)
      .send(shown);
  }

  async #awaited(turn: string, call: LaunchCall): Promise<TurnAnswer | null> {
    const gone = new AbortController();
    const close = (): void => {
      gone.abort();
    };
    call.reply.raw.once('close', close);
    try {
      return await this.#queries.execute(new AwaitTurn(turn, gone.signal));
    } finally {
      call.reply.raw.off('close', close);
    }
  }
}

/** What is known of a turn that was accepted and has not begun. */
const queued = (accepted: Accepted, agent: string, path: PathName): TurnAnswer => ({
  id: accepted.turn,
  status: 'queued',
  session: accepted.session,
  agent,
  path,
  reply: null,
  reason: null,
  usage: {
    inputTokens: 0,
    outputTokens: 0,
    tokens: 0,
    cost: 0,
    modelCalls: 0,
    toolCalls: 0,
  },
  approvals: [],
  position: accepted.position,
});
