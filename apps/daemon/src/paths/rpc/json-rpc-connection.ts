import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Narrowing } from '@lockstep/policy';
import type { Caller } from '../../access/caller.ts';
import { ProblemError } from '../../http/problem.ts';
import { toProblem } from '../../http/problem.filter.ts';
import { Desk, type DeskParts } from '../shared/desk.ts';
import { Followers } from '../shared/followers.ts';
import { linesOf } from '../shared/line-reader.ts';
import { BoundedOut } from './bounded-out.ts';
import { realFolder } from './real-folder.ts';
import { ParamsError, RpcRefusal } from './rpc-refusal.ts';
import type { ConnectionRecords, RecordedConnection } from './connection-records.ts';
import {
  errorLine,
  notificationLine,
  readLine,
  resultLine,
  rpcCodes,
  type RpcError,
  type RpcId,
  type RpcRequest,
} from './json-rpc-message.ts';
import { methods, type MethodName } from './json-rpc-methods.ts';
import { parseJsonRpc } from './json-rpc.path.ts';
import { rpcProtocol, type HelloParams, type StartParams } from './json-rpc.schema.ts';

export interface RpcParts extends DeskParts {
  readonly log: Logger;
  readonly records: ConnectionRecords;
  readonly limits: RpcLimits;
  readonly version: string;
  /** The operator of this machine, whose socket it is. */
  readonly caller: () => Caller;
}

export interface RpcLimits {
  /** Longest line, in bytes. */
  readonly line: () => number;
  /** How much may wait for a client that does not read, in bytes. */
  readonly unread: number;
  /** Turns of one connection that have not ended. */
  readonly turns: number;
  /** A client that has not said what it is by then is cut. */
  readonly helloMs: number;
}

/** What a method answers: at once, or with what is to happen right after the answer is out. */
export type Answered =
  | { readonly kind: 'now'; readonly result: unknown; readonly after?: () => void }
  /** Answers of other requests go out meanwhile. */
  | { readonly kind: 'later'; readonly result: Promise<unknown> };

/** One client of the socket. Requests are dealt with one after the other; nothing of one client reaches another. */
export class JsonRpcConnection {
  readonly desk: Desk;
  readonly #parts: RpcParts;
  readonly #socket: Socket;
  readonly #out: BoundedOut;
  readonly #followers: Followers;
  readonly #gone = new AbortController();
  readonly #later = new Set<Promise<void>>();
  #opened: { readonly record: RecordedConnection; readonly agent: string | null } | null = null;

  constructor(parts: RpcParts, socket: Socket) {
    this.#parts = parts;
    this.#socket = socket;
    this.#out = new BoundedOut(socket, parts.limits.unread);
    this.desk = new Desk(parts, parts.caller, 'json_rpc');
    const notify = (method: string, params: unknown): void => {
      this.#out.send(notificationLine(method, params));
    };
    this.#followers = new Followers(parts, parts.caller, {
      isFull: () => this.#out.isFull,
      event: (event) => {
        notify('turn.event', event);
      },
      delta: (delta) => {
        notify('turn.delta', delta);
      },
      asked: (asked) => {
        notify(asked.kind === 'approval' ? 'approval.requested' : 'question.asked', asked);
      },
      end: (answer) => {
        notify('turn.ended', answer);
      },
    });
  }

  /** Resolves when the client has gone and its end is recorded. */
  async run(): Promise<void> {
    const socket = this.#socket;
    const silent = setTimeout(() => {
      if (this.#opened === null) socket.destroy();
    }, this.#parts.limits.helloMs).unref();
    socket.on('close', () => {
      this.#gone.abort();
    });
    // What went wrong with a socket is said by its close.
    socket.on('error', () => undefined);
    try {
      await this.#read();
      // The client has said all that it will say: it still gets the answers that it waits for.
      await Promise.all(this.#later);
    } catch (thrown) {
      if (!socket.destroyed)
        this.#parts.log.error({ err: thrown }, 'a connection of the socket met a problem');
    } finally {
      clearTimeout(silent);
      this.#followers.closeAll();
      this.#out.end();
    }
    await this.#opened?.record.close('the client went away');
  }

  /** Ends the connection from this side. */
  close(): void {
    this.#followers.closeAll();
    this.#socket.destroy();
  }

  async #read(): Promise<void> {
    const chunks = this.#socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    for await (const line of linesOf(chunks, this.#parts.limits.line())) {
      if (this.#gone.signal.aborted) return;
      if (line.kind === 'too_long') {
        const message = `the line is longer than ${this.#parts.limits.line()} bytes`;
        this.#error(null, { code: rpcCodes.invalidRequest, message });
        return;
      }
      const read = readLine(line.bytes);
      if (read === null) continue;
      if (read.ok) await this.#handle(read.request);
      else this.#error(read.id, read.error);
    }
  }

  async #handle(request: RpcRequest): Promise<void> {
    const { id } = request;
    try {
      const answered = await this.#call(request);
      if (answered.kind === 'now') {
        if (id !== undefined) this.#out.send(resultLine(id, answered.result));
        answered.after?.();
        return;
      }
      const later = answered.result.then(
        (result) => {
          if (id !== undefined) this.#out.send(resultLine(id, result));
        },
        (thrown: unknown) => {
          if (id !== undefined) this.#error(id, this.#errorOf(thrown));
        },
      );
      this.#later.add(later);
      void later.then(() => this.#later.delete(later));
    } catch (thrown) {
      // Nobody waits for the answer to a notification.
      if (id !== undefined) this.#error(id, this.#errorOf(thrown));
    }
  }

  #call({ method, params }: RpcRequest): Promise<Answered> {
    if (!Object.hasOwn(methods, method))
      throw new RpcRefusal(rpcCodes.methodNotFound, `there is no method \`${method}\``);
    if (this.#opened === null && method !== 'initialize')
      throw new RpcRefusal(rpcCodes.invalidRequest, 'say `initialize` first');
    return methods[method as MethodName](params, this);
  }

  /** What the client chose holds for every turn that it starts; it is chosen once. */
  async initialize(hello: HelloParams): Promise<Answered> {
    if (this.#opened !== null)
      throw new RpcRefusal(rpcCodes.invalidRequest, '`initialize` was said before');
    const { principal } = this.#parts.caller();
    const agent = hello.agent ?? null;
    const narrowing = await narrowingOf(hello);
    const record = await this.#parts.records.open({
      kind: 'json_rpc',
      agent,
      narrowing,
      principal,
    });
    this.#opened = { record, agent };
    return {
      kind: 'now',
      result: {
        protocol: rpcProtocol,
        daemon: { name: 'lockstep', version: this.#parts.version },
        connection: record.id,
        principal,
        methods: Object.keys(methods),
        limits: { line: this.#parts.limits.line(), turns: this.#parts.limits.turns },
      },
    };
  }

  async start(params: StartParams): Promise<Answered> {
    const opened = this.#opened;
    if (opened === null) throw new RpcRefusal(rpcCodes.invalidRequest, 'say `initialize` first');
    if (opened.agent !== null && opened.agent !== params.agent)
      throw new ProblemError('forbidden', `this connection speaks to \`${opened.agent}\` alone`);
    if (this.#followers.size >= this.#parts.limits.turns)
      throw new ProblemError(
        'rate_limited',
        'too many turns of this connection are open: wait for one to end',
      );
    const { principal } = this.#parts.caller();
    const wire = { connection: opened.record.id, principal, params };
    const { turn, session, position, repeat } = await this.desk.start(parseJsonRpc(wire));
    opened.record.began(turn);
    const follow = (): void => {
      const { events, deltas } = params;
      this.#followers
        .follow({ turn, session, after: position, events, deltas, content: true })
        .catch((err: unknown) => {
          this.#parts.log.error({ err, turn }, 'a turn cannot be told of');
        });
    };
    if (params.wait) {
      follow();
      return { kind: 'later', result: this.#parts.turns.settled(turn, this.#gone.signal) };
    }
    const result = { id: turn, status: 'queued', session, agent: params.agent, position, repeat };
    return { kind: 'now', result, after: follow };
  }

  #error(id: RpcId, error: RpcError): void {
    this.#out.send(errorLine(id, error));
  }

  #errorOf(thrown: unknown): RpcError {
    if (thrown instanceof RpcRefusal) return { code: thrown.code, message: thrown.message };
    if (thrown instanceof ParamsError)
      return {
        code: rpcCodes.invalidParams,
        message: thrown.message,
        data: { code: 'invalid_body', errors: thrown.issues },
      };
    const problem = toProblem(thrown, this.#parts.log);
    const { code, status, detail, errors, ...fields } = problem.document();
    return {
      code: code === 'internal' ? rpcCodes.internal : rpcCodes.refused,
      message: detail,
      data: { ...fields, code, status, ...(errors === undefined ? {} : { errors }) },
    };
  }
}

/** What the client wants left out, as settings. The folder is the real one, so that no link leads out of where it is judged. */
const narrowingOf = async ({ tools, mcp, cwd }: HelloParams): Promise<Narrowing> => ({
  ...(tools === undefined ? {} : { 'tools.allowed': [tools] }),
  ...(mcp ? {} : { 'mcp.bundles': [] }),
  ...(cwd === undefined ? {} : { 'workspace.root': await realFolder(cwd) }),
});
