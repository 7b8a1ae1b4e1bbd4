import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TurnAnswer, TurnRow } from '@lockstep/engine';
import type { Turns } from '../../turns/turns.port.ts';
import { seesAgent, seesContent, type Caller } from '../../access/caller.ts';
import { CallerParam, requireCaller } from '../caller.decorator.ts';
import { resumeFrom } from '../event-id.ts';
import { EventStreams } from '../event-streams.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { notFound, ProblemError } from '../problem.ts';
import { Route } from '../route.decorator.ts';
import { idSchema } from '../schemas/common.schema.ts';
import { turnEventListSchema, turnEventQuery } from '../schemas/event.schema.ts';
import {
  acceptedSchema,
  cancelBody,
  steerBody,
  turnDetailSchema,
  turnListSchema,
  turnQuery,
  type TurnQuery,
} from '../schemas/turn.schema.ts';
import { showDetail, showEvent, showRow } from '../show.ts';
import { CancelTurn, FindTurn, SteerTurn } from '../turns/turn-commands.ts';
import { requireOwnTools, seenAgents, seenTurn } from './answers.ts';

/** Turns as they stand, and what may be asked of a running one. */
@Controller('v1/turns')
export class TurnsController {
  readonly #parts: HttpParts;
  readonly #commands: CommandBus;
  readonly #queries: QueryBus;
  readonly #streams: EventStreams;

  constructor(
    @Inject(HTTP_PARTS) parts: HttpParts,
    @Inject(CommandBus) commands: CommandBus,
    @Inject(QueryBus) queries: QueryBus,
    @Inject(EventStreams) streams: EventStreams,
  ) {
    this.#parts = parts;
    this.#commands = commands;
    this.#queries = queries;
    this.#streams = streams;
  }

  @Get()
  @Route({
    access: ['viewer'],
    summary: 'List turns, newest first.',
    answers: { 200: turnListSchema },
  })
  async list(
    @Query({ schema: turnQuery }) query: TurnQuery,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const { config, readSide, turns } = this.#parts;
    const asked = { ...query, status: statusesToRead(query.status) };
    const page = await readSide.turns(asked, seenAgents(config, caller));
    const rows = page.items
      .map((row) => withStatus(row, turns))
      .filter(({ status }) => query.status?.includes(status) ?? true);
    return { items: rows.map((row) => showRow(row, caller)), next: page.next };
  }

  @Get(':id')
  @Route({ access: ['viewer'], summary: 'One turn.', answers: { 200: turnDetailSchema } })
  async one(
    @Param('id', { schema: idSchema }) id: string,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const found = await this.#queries.execute(new FindTurn(id));
    // A turn of a probe is in no list, but whoever has its id may look at it.
    const probed = found === null ? await this.#parts.probes.turn(id) : null;
    if (probed !== null && seesAgent(caller, probed.answer.agent))
      return { ...showDetail(probed.detail, probed.answer, caller), probe: probed.run };
    const answer = seenTurn(found, id, caller);
    const detail = await this.#parts.readSide.turn(id);
    if (detail === null) throw notFound('turn', id);
    return showDetail(detail, answer, caller);
  }

  @Get(':id/events')
  @Route({
    access: ['viewer'],
    summary: 'The events of one turn.',
    answers: { 200: turnEventListSchema },
  })
  async events(
    @Param('id', { schema: idSchema }) id: string,
    @Query({ schema: turnEventQuery }) query: { readonly from: number; readonly limit: number },
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    await this.#seen(id, caller);
    const options = { from: query.from, limit: query.limit };
    const events = await this.#parts.store.readStream(`turn-${id}`, options);
    const last = events.at(-1);
    const more = events.length === query.limit && last !== undefined;
    return {
      items: events.map((event) => showEvent(caller, event)),
      next: more ? String(last.revision + 1) : null,
    };
  }

  @Get(':id/events/stream')
  @Route({ access: ['viewer'], summary: 'Follow one turn to its end.', answers: { 200: 'events' } })
  async follow(
    @Param('id', { schema: idSchema }) id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const caller = requireCaller(request);
    const answer = await this.#seen(id, caller);
    const lastId = request.headers['last-event-id'];
    const resume =
      typeof lastId === 'string' ? resumeFrom(lastId, this.#parts.store.generation) : null;
    const after = resume?.kind === 'after' ? resume.position : 'start';
    const content = await this.#readsContent(answer, caller);
    await this.#streams.followTurn({ caller, request, reply }, id, {
      after,
      content,
      until: 'ended',
    });
  }

  @Post(':id/cancel')
  @HttpCode(202)
  @Route({ access: ['operator'], summary: 'Ask a turn to stop.', answers: { 202: acceptedSchema } })
  async cancel(
    @Param('id', { schema: idSchema }) id: string,
    @Body({ schema: cancelBody }) body: { readonly why: string },
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    await this.#seen(id, caller);
    const command = new CancelTurn(id, caller.principal.id, body.why);
    return accepted(id, await this.#commands.execute(command));
  }

  @Post(':id/steer')
  @HttpCode(202)
  @Route({
    access: ['operator'],
    summary: 'Say something to a running turn.',
    answers: { 202: acceptedSchema },
  })
  async steer(
    @Param('id', { schema: idSchema }) id: string,
    @Body({ schema: steerBody }) body: { readonly text: string },
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    await requireOwnTools(this.#parts, await this.#seen(id, caller), caller);
    const command = new SteerTurn(id, body.text, caller.principal.id);
    return accepted(id, await this.#commands.execute(command));
  }

  async #seen(id: string, caller: Caller): Promise<TurnAnswer> {
    return seenTurn(await this.#queries.execute(new FindTurn(id)), id, caller);
  }

  async #readsContent(answer: TurnAnswer, caller: Caller): Promise<boolean> {
    if (seesContent(caller)) return true;
    const [first] = await this.#parts.store.readStream(`turn-${answer.id}`, { limit: 1 });
    const principal = first?.meta.principal;
    return principal?.kind === caller.principal.kind && principal.id === caller.principal.id;
  }
}

/** Whether a turn waits depends on those below it: what its own row says is not the last word. */
const withStatus = (row: TurnRow, turns: Turns): TurnRow =>
  row.status === 'running' && turns.isWaiting(row.id) ? { ...row, status: 'waiting' } : row;

/** Who wants those that wait gets the running ones looked at too. */
const statusesToRead = (wanted: TurnQuery['status']): TurnQuery['status'] =>
  wanted?.includes('waiting') === true && !wanted.includes('running')
    ? [...wanted, 'running']
    : wanted;

const accepted = (
  id: string,
  result: 'requested' | 'recorded' | 'ended' | 'not_found',
): { id: string; status: string } => {
  if (result === 'not_found') throw notFound('turn', id);
  if (result === 'ended')
    throw new ProblemError('already_ended', `the turn \`${id}\` has ended before`);
  return { id, status: result };
};
