import { Controller, Delete, Get, HttpCode, Inject, Param, Query } from '@nestjs/common';
import { seesAgent, type Caller } from '../../access/caller.ts';
import { CallerParam } from '../caller.decorator.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { notFound } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import { sessionListSchema, sessionQuery } from '../schemas/agent.schema.ts';
import { idSchema } from '../schemas/common.schema.ts';

/** Conversations of agents. */
@Controller('v1/sessions')
export class SessionsController {
  readonly #parts: HttpParts;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts) {
    this.#parts = parts;
  }

  @Get()
  @Route({
    access: ['viewer'],
    summary: 'Sessions of agents, newest first.',
    answers: { 200: sessionListSchema },
  })
  list(
    @Query({ schema: sessionQuery }) query: { readonly agent?: string | undefined },
    @CallerParam() caller: Caller,
  ): unknown {
    const items = [...this.#parts.ledger.sessions()]
      .reverse()
      .filter((session) => seesAgent(caller, session.agent))
      .filter((session) => query.agent === undefined || session.agent === query.agent)
      .map((session) => ({
        id: session.id,
        agent: session.agent,
        owner: session.owner.id,
        closed: session.closed,
        turns: session.turns.length,
      }));
    return { items, next: null };
  }

  @Delete(':id')
  @HttpCode(204)
  @Route({
    access: ['operator'],
    summary: 'Close a session: it takes no further message.',
    answers: { 204: 'none' },
  })
  async close(
    @Param('id', { schema: idSchema }) id: string,
    @CallerParam() caller: Caller,
  ): Promise<void> {
    const session = this.#parts.ledger.session(id);
    if (session === null || !seesAgent(caller, session.agent)) throw notFound('session', id);
    if (session.closed) return;
    const data = { by: caller.principal.id, why: 'closed by a person' };
    await this.#parts.recorder.record(session.id, [{ type: 'SessionClosed', data }], {
      principal: caller.principal,
      agent: session.agent,
      session: session.id,
    });
  }
}
