import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '@lockstep/engine';
import type { Authenticator } from '../../access/authenticator.ts';
import type { Caller } from '../../access/caller.ts';
import type { RateLimit } from '../../access/rate-limit.ts';
import { ProblemError } from '../../http/problem.ts';
import { toProblem } from '../../http/problem.filter.ts';
import { Desk, type DeskParts } from '../shared/desk.ts';
import { Followers } from '../shared/followers.ts';
import { parseWebSocket } from './websocket.path.ts';
import { frameSchema, idOfFrame, type Frame, type FrameId } from './websocket.schema.ts';

export interface WebSocketParts extends DeskParts {
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limit: RateLimit;
  readonly limits: WebSocketLimits;
}

export interface WebSocketLimits {
  /** Between two pings. A client that answered none until the next one is cut. */
  readonly pingMs: number;
  /** How much may wait for a client that does not read, in bytes. */
  readonly unread: number;
  /** Turns that one connection follows. */
  readonly turns: number;
  /** Frames that wait for the one before them. */
  readonly frames: number;
}

/** Close codes of RFC 6455 and what they mean here. */
const closeCodes = { goingAway: 1001, policy: 1008 } as const;

/** One client. Its frames are dealt with, and answered, in the order in which they came. */
export class WebSocketConnection {
  readonly #parts: WebSocketParts;
  readonly #socket: WebSocket;
  readonly #opened: Caller;
  readonly #desk: Desk;
  readonly #followers: Followers;
  readonly #ended = new AbortController();
  readonly #ping: NodeJS.Timeout;
  #alive = true;
  #waiting = 0;
  #tail: Promise<void> = Promise.resolve();

  constructor(parts: WebSocketParts, socket: WebSocket, opened: Caller) {
    this.#parts = parts;
    this.#socket = socket;
    this.#opened = opened;
    const caller = (): Caller => this.#caller();
    this.#desk = new Desk(parts, caller, 'websocket');
    this.#followers = new Followers(parts, caller, {
      isFull: () => socket.bufferedAmount > parts.limits.unread / 8,
      event: (event) => {
        this.#send({ type: 'event', event });
      },
      delta: (delta) => {
        this.#send({ type: 'delta', ...delta });
      },
      asked: ({ kind, ...asked }) => {
        this.#send({ type: kind, ...asked });
      },
      end: (answer) => {
        this.#send({ type: 'end', turn: answer });
      },
    });
    socket.on('message', (data, isBinary) => {
      this.#take(data, isBinary);
    });
    socket.on('pong', () => {
      this.#alive = true;
    });
    // What went wrong with a socket is said by its close.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#close();
    });
    this.#ping = setInterval(() => {
      this.#look();
    }, parts.limits.pingMs).unref();
  }

  /** Aborted once the connection has ended. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** The token was revoked, the session has ended, or the daemon stops. */
  end(): void {
    this.#followers.closeAll();
    const isKnown = this.#parts.authenticator.refresh(this.#opened) !== null;
    const [code, why] = isKnown
      ? [closeCodes.goingAway, 'the daemon is stopping']
      : [closeCodes.policy, 'the token or session has ended'];
    this.#socket.close(code, why);
    // A client that does not close its side is not waited for.
    setTimeout(() => {
      this.#socket.terminate();
    }, 1000).unref();
    this.#close();
  }

  #close(): void {
    if (this.#ended.signal.aborted) return;
    clearInterval(this.#ping);
    this.#followers.closeAll();
    this.#ended.abort();
  }

  #look(): void {
    if (!this.#alive) {
      this.#socket.terminate();
      return;
    }
    this.#alive = false;
    if (this.#parts.authenticator.refresh(this.#opened) === null) this.end();
    else this.#socket.ping();
  }

  /** As config and log have the caller now. */
  #caller(): Caller {
    const caller = this.#parts.authenticator.refresh(this.#opened);
    if (caller !== null) return caller;
    this.end();
    throw new ProblemError('unauthenticated', 'the token or session has ended');
  }

  #take(data: RawData, isBinary: boolean): void {
    if (this.#ended.signal.aborted) return;
    this.#waiting += 1;
    // No more is read than is dealt with.
    if (this.#waiting >= this.#parts.limits.frames) this.#socket.pause();
    this.#tail = this.#tail.then(async () => {
      await this.#handle(data, isBinary);
      this.#waiting -= 1;
      if (this.#socket.isPaused) this.#socket.resume();
    });
  }

  async #handle(data: RawData, isBinary: boolean): Promise<void> {
    if (this.#ended.signal.aborted) return;
    let id: FrameId | null = null;
    try {
      const caller = this.#caller();
      const waitMs = this.#parts.limit.take(`token ${caller.token}`, this.#parts.clock.now());
      const value = isBinary ? undefined : jsonOf(data);
      id = idOfFrame(value);
      if (waitMs > 0)
        throw new ProblemError('rate_limited', 'too many frames: wait before the next one', {
          fields: { retryAfterMs: waitMs },
        });
      const frame = frameOf(value);
      const { result, after } = await this.#act(frame);
      this.#send({ type: 'result', id: frame.id, result });
      after?.();
    } catch (thrown) {
      const { detail, type: _type, ...rest } = toProblem(thrown, this.#parts.log).document();
      this.#send({ ...rest, type: 'error', id, detail });
    }
  }

  async #act(frame: Frame): Promise<{ readonly result: unknown; readonly after?: () => void }> {
    switch (frame.type) {
      case 'start':
        return this.#start(frame);
      case 'get':
        return { result: await this.#desk.turn(frame.turn) };
      case 'cancel':
        return { result: await this.#desk.cancel(frame.turn, frame.why) };
      case 'steer':
        return { result: await this.#desk.steer(frame.turn, frame.text) };
      case 'approvals':
        return {
          result: await this.#desk.approvals(frame.query ?? { state: 'pending', limit: 50 }),
        };
      case 'decide':
        return { result: await this.#desk.decide(frame.approval, frame.decision) };
      case 'answer':
        return { result: await this.#desk.answer(frame.question, frame.answer) };
      case 'subscribe':
        return this.#subscribe(frame);
      case 'unsubscribe':
        return { result: { id: frame.turn, followed: !this.#followers.unfollow(frame.turn) } };
    }
  }

  async #start(frame: Extract<Frame, { readonly type: 'start' }>) {
    this.#refuseMany();
    const { principal, token } = this.#caller();
    const request = parseWebSocket({ caller: { principal, token }, frame });
    const { turn, session, position, repeat } = await this.#desk.start(request);
    const result = {
      id: turn,
      status: 'queued',
      session,
      agent: frame.agent,
      position,
      repeat,
    };
    const { events, deltas } = frame;
    const after = position;
    return {
      result,
      after: () => {
        this.#follow({ turn, session, after, events, deltas, content: true });
      },
    };
  }

  async #subscribe(frame: Extract<Frame, { readonly type: 'subscribe' }>) {
    this.#refuseMany();
    const answer = await this.#desk.turn(frame.turn);
    const content = await this.#desk.readsContent(frame.turn);
    const { id: turn, session, position: after } = answer;
    const { events, deltas } = frame;
    return {
      result: answer,
      after: () => {
        this.#follow({ turn, session, after, events, deltas, content });
      },
    };
  }

  #follow(want: Parameters<Followers['follow']>[0]): void {
    this.#followers.follow(want).catch((err: unknown) => {
      if (!this.#ended.signal.aborted)
        this.#parts.log.error({ err, turn: want.turn }, 'a turn cannot be told of');
    });
  }

  #refuseMany(): void {
    if (this.#followers.size >= this.#parts.limits.turns)
      throw new ProblemError(
        'rate_limited',
        'too many turns are followed here: wait for one to end, or unsubscribe',
      );
  }

  #send(message: object): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(JSON.stringify(message));
    if (this.#socket.bufferedAmount > this.#parts.limits.unread) this.#socket.terminate();
  }
}

const jsonOf = (data: RawData): unknown => {
  try {
    return JSON.parse((data as Buffer).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
};

/** @throws ProblemError for what is no frame */
const frameOf = (value: unknown): Frame => {
  if (value === undefined)
    throw new ProblemError('invalid_body', 'the frame is no JSON text: send one object a frame');
  const read = frameSchema.safeParse(value);
  if (read.success) return read.data;
  throw new ProblemError('invalid_body', 'the frame does not fit its schema', {
    errors: read.error.issues.map(({ path, message }) => ({
      path: path.map(String).join('.'),
      message,
    })),
  });
};
