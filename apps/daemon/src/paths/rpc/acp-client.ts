import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentContext,
  type InitializeResponse,
} from '@agentclientprotocol/sdk';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { z } from 'zod';
import { toProblem } from '../../http/problem.filter.ts';
import { AcpSessions, type AcpSessionsParts } from './acp-sessions.ts';
import { acpStream, readOpening } from './acp-stream.ts';
import { requestErrorOf } from './acp-end.ts';
import { acpTakes } from './acp.path.ts';
import type { ConnectionRecords, RecordedConnection } from './connection-records.ts';
import type { RpcLimits } from './json-rpc-connection.ts';

export interface AcpParts extends AcpSessionsParts {
  readonly log: Logger;
  readonly records: ConnectionRecords;
  readonly limits: RpcLimits;
  readonly version: string;
}

/** The first line of a client: what `lockstep acp --agent` was told. */
export const openingSchema = z.strictObject({ agent: z.string().min(1).max(64) });

/** One editor, or whatever speaks ACP, and the agent that it speaks to. */
export class AcpClient {
  readonly #parts: AcpParts;
  readonly #socket: Socket;
  #record: RecordedConnection | null = null;
  #sessions: AcpSessions | null = null;

  constructor(parts: AcpParts, socket: Socket) {
    this.#parts = parts;
    this.#socket = socket;
  }

  async run(): Promise<void> {
    const socket = this.#socket;
    socket.on('error', () => undefined);
    const silent = setTimeout(() => {
      if (this.#record === null) socket.destroy();
    }, this.#parts.limits.helloMs).unref();
    try {
      await this.#serve();
    } finally {
      clearTimeout(silent);
      this.#sessions?.close();
      socket.destroy();
    }
    await this.#record?.close('the client went away');
  }

  close(): void {
    this.#sessions?.close();
    this.#socket.destroy();
  }

  async #serve(): Promise<void> {
    const opening = await readOpening(this.#socket, 4096).catch(() => null);
    if (opening === null) return;
    const said = openingSchema.safeParse(jsonOrNull(opening.first));
    if (!said.success) return;
    const { line, unread } = this.#parts.limits;
    const stream = acpStream(this.#socket, opening.rest, { line: line(), unread });
    const connection = this.#app(said.data.agent).connect(stream);
    const gone = new Promise<void>((done) => this.#socket.once('close', done));
    await Promise.race([connection.closed, gone]);
    connection.close();
  }

  #app(alias: string) {
    // What a handler throws is answered as our refusals are everywhere.
    const told =
      <C, R>(run: (sessions: AcpSessions, context: C) => Promise<R>) =>
      async (context: C & { readonly client: AgentContext }): Promise<R> => {
        try {
          return await run(this.#opened(), context);
        } catch (thrown) {
          if (thrown instanceof RequestError) throw thrown;
          throw requestErrorOf(toProblem(thrown, this.#parts.log));
        }
      };
    return agent({ name: 'lockstep' })
      .onRequest(methods.agent.initialize, async ({ client }) => {
        try {
          return await this.#initialize(alias, client);
        } catch (thrown) {
          if (thrown instanceof RequestError) throw thrown;
          throw requestErrorOf(toProblem(thrown, this.#parts.log));
        }
      })
      .onRequest(
        methods.agent.session.new,
        told((sessions, { params }) => sessions.open(params)),
      )
      .onRequest(
        methods.agent.session.load,
        told((sessions, { params }) => sessions.load(params)),
      )
      .onRequest(
        methods.agent.session.prompt,
        told((sessions, { params }) => sessions.prompt(params)),
      )
      .onNotification(methods.agent.session.cancel, async ({ params }) => {
        await this.#sessions?.cancel(params.sessionId);
      });
  }

  async #initialize(alias: string, client: AgentContext): Promise<InitializeResponse> {
    if (this.#sessions !== null)
      throw RequestError.invalidRequest(undefined, '`initialize` was said before');
    const { principal } = this.#parts.caller();
    const record = await this.#parts.records.open({
      kind: 'acp',
      agent: alias,
      narrowing: acpTakes,
      principal,
    });
    this.#record = record;
    this.#sessions = new AcpSessions(this.#parts, { agent: alias, record, client });
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'lockstep', version: this.#parts.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: false, audio: false, embeddedContext: false },
        mcpCapabilities: { http: false, sse: false },
      },
      authMethods: [],
    };
  }

  #opened(): AcpSessions {
    if (this.#sessions === null)
      throw RequestError.invalidRequest(undefined, 'say `initialize` first');
    return this.#sessions;
  }
}

const jsonOrNull = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return null;
  }
};
