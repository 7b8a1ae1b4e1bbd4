import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { bisect } from '@lockstep/engine';
import type { Caller } from '../../access/caller.ts';
import { gatherVersions } from '../../replay/bisect/gather-versions.ts';
import { CallerParam } from '../caller.decorator.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { Route } from '../route.decorator.ts';
import { bisectBody, bisectSchema, type BisectBody } from '../schemas/bisect.schema.ts';
import { FindTurn } from '../turns/turn-commands.ts';
import { requireAllAgents, seenTurn } from './answers.ts';

/** Which config version flipped a verdict. Nothing is performed and nothing is recorded. */
@Controller('v1/bisects')
export class BisectsController {
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
    summary:
      'Find the config version and the keys that flipped the verdict on a call of a recorded turn. Nothing is run.',
    answers: { 200: bisectSchema },
  })
  async bisect(
    @Body({ schema: bisectBody }) { turn, call }: BisectBody,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    seenTurn(await this.#queries.execute(new FindTurn(turn)), turn, caller);
    // It names keys of the config and what they held, which may be another agent's.
    requireAllAgents(caller);
    const events = await gatherVersions(this.#parts.store, turn);
    return bisect(events, { turn, ...(call === undefined ? {} : { call }) });
  }
}
