import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventFilter, LockstepEvent, Position, TurnAnswer } from '@lockstep/engine';
import type { Caller } from '../access/caller.ts';
import { eventId } from './event-id.ts';
import { HTTP_PARTS, type HttpParts } from './http-parts.ts';
import { seesEvent, showAnswer, showEvent } from './show.ts';
import { SseChannel } from './sse.ts';
import { AwaitTurn, FindTurn } from './turns/turn-commands.ts';

/** One request for a stream, its caller known. */
export interface StreamRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
}

interface Feed {
  readonly after: Position | 'start';
  readonly filter: EventFilter;
  readonly judge: (event: LockstepEvent) => 'send' | 'send and stop' | 'skip';
  /** Aborted: what was sent so far is enough. */
  readonly enough: AbortSignal;
}

const turnEnds: ReadonlySet<string> = new Set([
  'TurnCompleted',
  'TurnFailed',
  'TurnCancelled',
  'TurnRefused',
]);

const ended: ReadonlySet<TurnAnswer['status']> = new Set([
  'completed',
  'failed',
  'cancelled',
  'refused',
]);
const isOver = ({ status }: TurnAnswer): boolean => ended.has(status);

/** Sends the log, or one turn, to a client as it grows. */
@Injectable()
export class EventStreams {
  readonly #parts: HttpParts;
  readonly #queries: QueryBus;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts, @Inject(QueryBus) queries: QueryBus) {
    this.#parts = parts;
    this.#queries = queries;
  }

  /** Follows the log until the client goes, its token ends, or the daemon stops. */
  async followLog(
    open: StreamRequest,
    from: { readonly after: Position | 'start'; readonly foreign: boolean },
    want: { readonly filter: EventFilter; readonly matches: (event: LockstepEvent) => boolean },
  ): Promise<void> {
    const { generation } = this.#parts.store;
    const id = eventId(generation, from.after);
    const channel = this.#channel(open, id);
    if (from.foreign)
      await channel.send({ id, event: 'reset', data: { generation, position: from.after } });
    await this.#pump(channel, open.caller, {
      after: from.after,
      filter: want.filter,
      judge: (event) => (want.matches(event) ? 'send' : 'skip'),
      enough: new AbortController().signal,
    });
  }

  /** Follows one turn: its events, text while it is made, and the answer. Ends with the turn, or, if only that is wanted, when it
   * waits for a person. */
  async followTurn(
    open: StreamRequest,
    turn: string,
    options: {
      readonly after: Position | 'start';
      /** The caller may read content: text while it is made, and the reply. */
      readonly content: boolean;
      readonly until: 'ended' | 'settled';
    },
  ): Promise<void> {
    const channel = this.#channel(open, null);
    const before = await this.#queries.execute(new FindTurn(turn));
    // What came last may be behind the place to go on from: then nothing more comes.
    const over =
      before === null ||
      (isOver(before) && options.after !== 'start' && options.after >= before.position);
    const stopDeltas = options.content ? this.#sendDeltas(channel, turn) : () => undefined;
    const enough = new AbortController();
    let target: Position | null = null;
    let sent: Position = '';
    if (options.until === 'settled')
      void this.#queries.execute(new AwaitTurn(turn, channel.signal)).then((answer) => {
        target = answer?.position ?? '';
        if (sent >= target) enough.abort();
      });
    if (!over)
      await this.#pump(channel, open.caller, {
        after: options.after,
        filter: { streams: [`turn-${turn}`, before.session] },
        judge: (event) => {
          // A turn that is taken back before it begins ends in its session's stream.
          if (event.stream === before.session)
            return event.type === 'MessageDropped' && event.meta.turn === turn
              ? 'send and stop'
              : 'skip';
          sent = event.position;
          const done = turnEnds.has(event.type) || (target !== null && sent >= target);
          return done ? 'send and stop' : 'send';
        },
        enough: enough.signal,
      });
    stopDeltas();
    const answer = await this.#queries.execute(new FindTurn(turn));
    if (answer !== null)
      await channel.send({ event: 'end', data: showAnswer(answer, options.content) });
    channel.end();
  }

  #sendDeltas(channel: SseChannel, turn: string): () => void {
    const stop = this.#parts.turns.deltas(turn, (delta) => {
      // Text on its way is a courtesy: a slow reader gets it with the events.
      if (!channel.isFull) void channel.send({ event: 'delta', data: delta });
    });
    channel.signal.addEventListener('abort', stop);
    return stop;
  }

  #channel(open: StreamRequest, lastId: string | null): SseChannel {
    const channel = new SseChannel(open.request, open.reply, this.#parts.sse, lastId);
    this.#parts.live.add(channel, { token: open.caller.token, session: open.caller.session });
    return channel;
  }

  async #pump(channel: SseChannel, opened: Caller, feed: Feed): Promise<void> {
    const { generation } = this.#parts.store;
    const subscription = this.#parts.store.subscribe({ after: feed.after, filter: feed.filter });
    const stop = (): void => void subscription.return?.();
    channel.signal.addEventListener('abort', stop);
    feed.enough.addEventListener('abort', stop);
    for await (const message of subscription) {
      if (channel.signal.aborted) break;
      // Roles, scopes and the token itself may have changed since the stream was opened.
      const caller = this.#parts.authenticator.refresh(opened);
      if (caller === null) {
        channel.end();
        break;
      }
      if (message.kind === 'caught-up') {
        await channel.send({
          id: eventId(generation, message.position),
          event: 'caught-up',
          data: { position: message.position },
        });
        continue;
      }
      const { event } = message;
      const verdict = feed.judge(event);
      if (verdict !== 'skip' && seesEvent(caller, event))
        await channel.send({
          id: eventId(generation, event.position),
          event: 'event',
          data: showEvent(caller, event),
        });
      if (verdict === 'send and stop') break;
    }
  }
}
