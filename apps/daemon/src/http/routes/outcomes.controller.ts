import { Body, Controller, Get, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { reachesTool, seesAgent, type Caller } from '../../access/caller.ts';
import { CallerParam, requireCaller } from '../caller.decorator.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { notFound, ProblemError } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import { idSchema } from '../schemas/common.schema.ts';
import {
  settleBody,
  settledSchema,
  unknownListSchema,
  type SettleBody,
} from '../schemas/stop.schema.ts';
import { deciderOf } from './answers.ts';

/** Calls of which nobody knows whether they took effect: the same call is refused until somebody says so. */
@Controller('v1')
export class OutcomesController {
  readonly #parts: HttpParts;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts) {
    this.#parts = parts;
  }

  @Get('unknown-outcomes')
  @Route({
    access: ['viewer'],
    summary: 'Calls whose outcome is not known, oldest first.',
    answers: { 200: unknownListSchema },
  })
  list(@CallerParam() caller: Caller): unknown {
    const items = this.#parts.ledger
      .unknownOutcomes()
      .filter(({ agent }) => seesAgent(caller, agent));
    return { items, next: null };
  }

  @Post('turns/:id/calls/:call/settle')
  @HttpCode(200)
  @Route({
    access: ['operator'],
    summary: 'Say what became of a call: the same tool and arguments may run again.',
    answers: { 200: settledSchema },
  })
  async settle(
    @Param('id', { schema: idSchema }) turn: string,
    @Param('call', { schema: idSchema }) call: string,
    @Body({ schema: settleBody }) { as }: SettleBody,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const caller = requireCaller(request);
    const found = this.#parts.ledger
      .unknownOutcomes()
      .find((one) => one.turn === turn && one.call === call);
    const what = `${turn}/${call}`;
    if (found === undefined || !seesAgent(caller, found.agent))
      throw notFound('call of unknown outcome', what);
    await this.#reaches(caller, found.tool, what);
    const by = deciderOf(caller, request);
    const settled = await this.#parts.turns.settleOutcome(turn, call, { as, by });
    if (settled === 'not_found') throw notFound('call of unknown outcome', what);
    return { turn, call, as };
  }

  /** What was settled may run again: that is said by whoever could approve the call. */
  async #reaches(caller: Caller, tool: string, what: string): Promise<void> {
    if (reachesTool(caller, tool)) return;
    const why = `the token's scope leaves out the tool \`${tool}\``;
    await this.#parts.accessLog.denied(caller.principal, `settle ${what}`, why);
    throw new ProblemError('forbidden', why);
  }
}
