import { digestOf, type Principal } from '@lockstep/policy';
import type { TurnRequest } from '../../turns/turns.port.ts';

/** A frame `start` as it comes in, its caller known. */
export interface WebSocketWire {
  readonly caller: { readonly principal: Principal; readonly token: string };
  readonly frame: {
    readonly agent: string;
    readonly input: string;
    readonly session?: string | undefined;
    /** A repeat with the same key is the same turn. */
    readonly key?: string | undefined;
    /** Whether text is sent while it is made; absent = yes. */
    readonly deltas?: boolean | undefined;
  };
}

/** The request behind the wire form. Ids only: what the token takes away is found by `resolve()`. */
export const parseWebSocket = ({ caller, frame }: WebSocketWire): TurnRequest => ({
  agent: frame.agent,
  principal: caller.principal,
  session: frame.session ?? null,
  origin: { kind: 'websocket', token: caller.token },
  client: 'none',
  input: frame.input,
  idempotency:
    frame.key === undefined
      ? null
      : {
          key: digestOf(['websocket', caller.principal.kind, caller.principal.id, frame.key]),
          body: digestOf([frame.agent, frame.input, frame.session ?? null]),
        },
  listening: frame.deltas ?? true,
});

/** The wire form of a request without a key that came by WebSocket: parsing it again gives the same request. */
export const encodeWebSocket = (request: TurnRequest): WebSocketWire | null =>
  request.origin.kind === 'websocket' && request.idempotency === null && request.client === 'none'
    ? {
        caller: { principal: request.principal, token: request.origin.token },
        frame: {
          agent: request.agent,
          input: request.input,
          ...(request.session === null ? {} : { session: request.session }),
          ...(request.listening ? {} : { deltas: false }),
        },
      }
    : null;
