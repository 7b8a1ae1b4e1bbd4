import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BacktestReport } from '@lockstep/engine';
import { seesAgent, seesContent, type Caller } from '../../access/caller.ts';
import type { BacktestState } from '../../replay/backtest/backtests.ts';
import { readSince } from '../../replay/backtest/since.ts';
import type { TurnFilter } from '../../replay/backtest/turn-index.ts';
import { CallerParam, requireCaller } from '../caller.decorator.ts';
import { hidden } from '../hide-content.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { notFound, ProblemError } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import {
  backtestBody,
  backtestSchema,
  backtestStartedSchema,
  type BacktestBody,
} from '../schemas/backtest.schema.ts';
import { idSchema } from '../schemas/common.schema.ts';
import { SseChannel } from '../sse.ts';

/** What a change of config would have done to recorded turns. Nothing is performed and nothing is recorded. */
@Controller('v1/backtests')
export class BacktestsController {
  readonly #parts: HttpParts;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts) {
    this.#parts = parts;
  }

  @Post()
  @HttpCode(202)
  @Route({
    access: ['operator'],
    summary: 'Judge the recorded turns under another config. One at a time.',
    answers: { 202: backtestStartedSchema },
  })
  start(
    @Body({ schema: backtestBody }) body: BacktestBody,
    @CallerParam() caller: Caller,
  ): unknown {
    const { backtests, config, prepareBacktest } = this.#parts;
    const source =
      'text' in body.config ? { text: body.config.text, file: config.file } : body.config;
    const prepared = prepareBacktest(source, this.#filterOf(body, caller));
    switch (prepared.kind) {
      case 'invalid':
        throw new ProblemError('invalid_config', 'nothing is judged under a config with problems', {
          errors: prepared.problems.map(({ path, line, column, message }) => ({
            path,
            line,
            column,
            message,
          })),
        });
      case 'missing':
        throw new ProblemError('not_found', prepared.message);
      case 'ready': {
        const started = backtests.start(caller.token, prepared.run);
        if (started.kind === 'busy') throw new ProblemError('busy', started.why);
        return { id: started.id };
      }
    }
  }

  @Get(':id')
  @Route({
    access: ['operator'],
    summary: 'How a backtest of yours stands, with its report once it is done.',
    answers: { 200: backtestSchema },
  })
  one(@Param('id', { schema: idSchema }) id: string, @CallerParam() caller: Caller): unknown {
    return shown(this.#own(id, caller), caller);
  }

  @Get(':id/stream')
  @Route({
    access: ['operator'],
    summary: 'Follow a backtest to its end: progress, then how it stands, without the report.',
    answers: { 200: 'events' },
  })
  async follow(
    @Param('id', { schema: idSchema }) id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const caller = requireCaller(request);
    this.#own(id, caller);
    const { backtests, live, sse } = this.#parts;
    const channel = new SseChannel(request, reply, sse, null);
    live.add(channel, { token: caller.token, session: caller.session });
    for await (const now of backtests.follow(caller.token, id, channel.signal)) {
      await channel.send({ event: 'progress', data: now.progress });
      if (now.state !== 'running')
        await channel.send({ event: 'end', data: { ...now, report: null } });
    }
    channel.end();
  }

  @Delete(':id')
  @Route({
    access: ['operator'],
    summary: 'Stop a backtest of yours. One that has ended stays as it is.',
    answers: { 200: backtestSchema },
  })
  cancel(@Param('id', { schema: idSchema }) id: string, @CallerParam() caller: Caller): unknown {
    this.#own(id, caller);
    return shown(this.#own(id, caller, 'cancel'), caller);
  }

  #own(id: string, { token }: Caller, how: 'find' | 'cancel' = 'find'): BacktestState {
    const found = this.#parts.backtests[how](token, id);
    if (found === null) throw notFound('backtest of yours', id);
    return found;
  }

  #filterOf({ since, agent, path, limit }: BacktestBody, caller: Caller): TurnFilter {
    if (agent !== undefined && !seesAgent(caller, agent))
      throw new ProblemError('forbidden', `the token's scope leaves out the agent \`${agent}\``);
    const from = since === undefined ? undefined : readSince(since, this.#parts.clock.now());
    if (from === null)
      throw new ProblemError('invalid_body', 'the request is not valid', {
        errors: [{ path: 'since', message: 'must be an age as `30d` or an ISO date or time' }],
      });
    return { since: from, agent, path, limit, sees: (alias) => seesAgent(caller, alias) };
  }
}

/** The reason of a verdict may name files, hosts and arguments: it is for who may read content. */
const shown = (state: BacktestState, caller: Caller): BacktestState =>
  state.report === null || seesContent(caller)
    ? state
    : { ...state, report: withoutReasons(state.report) };

const withoutReasons = (report: BacktestReport): BacktestReport => ({
  ...report,
  changes: report.changes.map((change) => ({
    ...change,
    recorded: { ...change.recorded, why: hidden },
    now: { ...change.now, why: hidden },
  })),
});
