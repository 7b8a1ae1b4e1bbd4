import { digestOf, type Principal } from '@lockstep/policy';
import type { TurnRequest } from '../../turns/turns.port.ts';

/** `turns.start` as it comes in on a connection of the socket. */
export interface JsonRpcWire {
  readonly connection: string;
  readonly principal: Principal;
  readonly params: {
    readonly agent: string;
    readonly input: string;
    readonly session?: string | undefined;
    /** A repeat with the same key is the same turn. */
    readonly key?: string | undefined;
    /** Whether text is sent while it is made; absent = yes. */
    readonly deltas?: boolean | undefined;
  };
}

/** The request behind the wire form. What the client takes away stands in the record of its connection. */
export const parseJsonRpc = ({ connection, principal, params }: JsonRpcWire): TurnRequest => ({
  agent: params.agent,
  principal,
  session: params.session ?? null,
  origin: { kind: 'json_rpc', connection },
  client: 'none',
  input: params.input,
  idempotency:
    params.key === undefined
      ? null
      : {
          key: digestOf(['json_rpc', principal.kind, principal.id, params.key]),
          body: digestOf([params.agent, params.input, params.session ?? null]),
        },
  listening: params.deltas ?? true,
});

/** The wire form of a request without a key that came by the socket: parsing it again gives the same request. */
export const encodeJsonRpc = (request: TurnRequest): JsonRpcWire | null =>
  request.origin.kind === 'json_rpc' && request.idempotency === null && request.client === 'none'
    ? {
        connection: request.origin.connection,
        principal: request.principal,
        params: {
          agent: request.agent,
          input: request.input,
          ...(request.session === null ? {} : { session: request.session }),
          ...(request.listening ? {} : { deltas: false }),
        },
      }
    : null;
