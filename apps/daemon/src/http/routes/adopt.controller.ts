import { Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { openItems } from '../../adopt-log.ts';
import type { Caller } from '../../access/caller.ts';
import { CallerParam } from '../caller.decorator.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { ProblemError } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import { adoptingSchema, adoptionSchema } from '../schemas/adopt.schema.ts';

/** Taking over a log that was restored or copied. */
@Controller('v1/adopt')
export class AdoptController {
  readonly #parts: HttpParts;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts) {
    this.#parts = parts;
  }

  @Get()
  @Route({
    access: ['admin'],
    summary: 'Whether the log is read-only and why, and what goes on once it is taken over.',
    answers: { 200: adoptionSchema },
  })
  state(): unknown {
    const { foreign = null, ledger } = this.#parts;
    return { foreign, open: openItems(ledger) };
  }

  @Post()
  @HttpCode(202)
  @Route({
    access: ['admin'],
    summary:
      'Take the log over: the daemon starts again on the same address, then takes up what is open.',
    answers: { 202: adoptingSchema },
  })
  take(@CallerParam() caller: Caller): unknown {
    const { foreign, adopt, whyNotAdopt } = this.#parts;
    if (foreign === undefined || foreign === null || adopt === undefined)
      throw new ProblemError(
        'already_ended',
        "the log is this machine's own: there is nothing to take over",
      );
    if (whyNotAdopt !== undefined) throw new ProblemError('read_only', whyNotAdopt);
    adopt(caller.principal.person ?? caller.principal.id);
    return { status: 'adopting' };
  }
}
