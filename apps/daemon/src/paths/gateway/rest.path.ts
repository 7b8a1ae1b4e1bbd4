import { digestOf, type Principal } from '@lockstep/policy';
import type { TurnRequest } from '../../turns/turns.port.ts';

/** `POST /v1/agents/:alias/turns` as it comes in, its caller known. */
export interface RestWire {
  readonly agent: string;
  readonly caller: { readonly principal: Principal; readonly token: string };
  readonly body: { readonly input: string; readonly session?: string | undefined };
  readonly idempotencyKey: string | null;
  /** The client takes text while it is made. */
  readonly streaming: boolean;
}

/** The request behind the wire form. Ids only: what the token takes away is found by `resolve()`. */
export const parseRest = (wire: RestWire): TurnRequest => ({
  agent: wire.agent,
  principal: wire.caller.principal,
  session: wire.body.session ?? null,
  origin: { kind: 'rest', token: wire.caller.token },
  client: 'none',
  input: wire.body.input,
  idempotency: idempotencyOf(wire),
  listening: wire.streaming,
});

/** The wire form of a request that came by REST without an Idempotency-Key: parsing it again gives the same request. */
export const encodeRest = (request: TurnRequest): RestWire | null =>
  request.origin.kind === 'rest' && request.idempotency === null && request.client === 'none'
    ? {
        agent: request.agent,
        caller: { principal: request.principal, token: request.origin.token },
        body: {
          input: request.input,
          ...(request.session === null ? {} : { session: request.session }),
        },
        idempotencyKey: null,
        streaming: request.listening,
      }
    : null;

/** Two callers may use one key without meeting; one caller's key is bound to the whole of what was asked. */
const idempotencyOf = (wire: RestWire): TurnRequest['idempotency'] =>
  wire.idempotencyKey === null
    ? null
    : {
        key: digestOf([wire.caller.principal.kind, wire.caller.principal.id, wire.idempotencyKey]),
        body: digestOf([wire.agent, wire.body.input, wire.body.session ?? null]),
      };
