import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventFilter, LockstepEvent, Position } from '@lockstep/engine';
import type { Caller } from '../../access/caller.ts';
import { CallerParam, requireCaller } from '../caller.decorator.ts';
import { resumeFrom } from '../event-id.ts';
import { EventStreams } from '../event-streams.ts';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { Route } from '../route.decorator.ts';
import {
  eventListSchema,
  eventQuery,
  streamQuery,
  type EventQuery,
  type StreamQuery,
} from '../schemas/event.schema.ts';
import { seesEvent, showEvent } from '../show.ts';

/** How far one request looks for events that it may show before it hands out a place to go on from. */
const pagesPerRequest = 20;

/** The log itself. */
@Controller('v1/events')
export class EventsController {
  readonly #parts: HttpParts;
  readonly #streams: EventStreams;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts, @Inject(EventStreams) streams: EventStreams) {
    this.#parts = parts;
    this.#streams = streams;
  }

  @Get()
  @Route({
    access: ['viewer'],
    summary: 'Read the log. `next` is null when nothing more was there.',
    answers: { 200: eventListSchema },
  })
  async list(
    @Query({ schema: eventQuery }) query: EventQuery,
    @CallerParam() caller: Caller,
  ): Promise<unknown> {
    const { store } = this.#parts;
    const matches = matcher(query);
    const items: LockstepEvent[] = [];
    let at: Position | 'start' = query.after;
    let end = false;
    for (let page = 0; page < pagesPerRequest && items.length < query.limit && !end; page += 1) {
      // What is read is never more than what is still wanted, so that the place to go on from is exact.
      const limit = query.limit - items.length;
      const read = await store.readAll({ after: at, limit, filter: filterOf(query) });
      for (const event of read.events)
        if (matches(event) && seesEvent(caller, event)) items.push(showEvent(caller, event));
      at = read.next;
      end = read.end;
    }
    return { items, next: end ? null : at, position: at, generation: store.generation };
  }

  @Get('stream')
  @Route({
    access: ['viewer'],
    summary: 'Follow the log. `Last-Event-ID` or `after` resume it.',
    answers: { 200: 'events' },
  })
  async stream(
    @Query({ schema: streamQuery }) query: StreamQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const caller = requireCaller(request);
    const from = await this.#from(query, request.headers['last-event-id']);
    const want = { filter: filterOf(query), matches: matcher(query) };
    await this.#streams.followLog({ caller, request, reply }, from, want);
  }

  async #from(
    query: StreamQuery,
    lastId: string | string[] | undefined,
  ): Promise<{ readonly after: Position | 'start'; readonly foreign: boolean }> {
    const { store } = this.#parts;
    if (typeof lastId === 'string' && lastId !== '') {
      const resume = resumeFrom(lastId, store.generation);
      return resume.kind === 'after'
        ? { after: resume.position, foreign: false }
        : { after: await store.head(), foreign: true };
    }
    const after = query.after === 'end' ? await store.head() : query.after;
    return { after, foreign: false };
  }
}

type Wanted = Pick<StreamQuery, 'types' | 'agent' | 'path'>;

const filterOf = (query: Wanted): EventFilter => ({
  ...(query.types === undefined ? {} : { types: query.types }),
  ...(query.agent === undefined ? {} : { agent: query.agent }),
});

const matcher =
  (query: Wanted) =>
  (event: LockstepEvent): boolean =>
    query.path === undefined || event.meta.path === query.path;
