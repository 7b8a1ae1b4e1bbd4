import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { replayTurn } from '@lockstep/engine';
import type { Caller } from '../../access/caller.ts';
import { gatherHistory } from '../../replay/gather-history.ts';
import { CallerParam } from '../caller.decorator.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { Route } from '../route.decorator.ts';
import { replayBody, replaySchema } from '../schemas/replay.schema.ts';
import { FindTurn } from '../turns/turn-commands.ts';
import { seenTurn } from './answers.ts';

/** Recorded turns made again. Nothing is performed and nothing is recorded. */
@Controller('v1/replays')
export class ReplaysController {
  readonly #parts: HttpParts;
  readonly #queries: QueryBus;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts, @Inject(QueryBus) queries: QueryBus) {
    this.#parts = parts;
    this.#queries = queries;
  }

  @Post()
  @HttpCode(200)
  @Route({
    access: ['auditor'],
    summary: 'Make the events of a recorded turn again and compare. Nothing is run.',
    answers: { 200: replaySchema },
  })
  async replay(
    @Body({ schema: replayBody }) { turn }: { readonly turn: string },
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    seenTurn(await this.#queries.execute(new FindTurn(turn)), turn, caller);
    const events = await gatherHistory(this.#parts.store, turn);
    return replayTurn({ turn, events, end: 'open' });
  }
}
