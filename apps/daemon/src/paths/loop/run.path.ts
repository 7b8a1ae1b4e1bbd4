import { digestOf, type Principal } from '@lockstep/policy';
import type { TurnRequest } from '../../turns/turns.port.ts';

/** `POST /v1/agents/:alias/runs` as it comes in: the command line, under the local token. */
export interface RunWire {
  readonly agent: string;
  readonly caller: { readonly principal: Principal };
  readonly body: { readonly input: string; readonly session?: string | undefined };
  readonly idempotencyKey: string | null;
  readonly streaming: boolean;
}

/** The request behind the wire form. */
export const parseRun = (wire: RunWire): TurnRequest => ({
  agent: wire.agent,
  principal: wire.caller.principal,
  session: wire.body.session ?? null,
  origin: { kind: 'run' },
  client: 'none',
  input: wire.body.input,
  idempotency:
    wire.idempotencyKey === null
      ? null
      : {
          key: digestOf(['run', wire.caller.principal.id, wire.idempotencyKey]),
          body: digestOf([wire.agent, wire.body.input, wire.body.session ?? null]),
        },
  listening: wire.streaming,
});

/** The wire form of a run without an Idempotency-Key: parsing it again gives the same request. */
export const encodeRun = (request: TurnRequest): RunWire | null =>
  request.origin.kind === 'run' && request.idempotency === null && request.client === 'none'
    ? {
        agent: request.agent,
        caller: { principal: request.principal },
        body: {
          input: request.input,
          ...(request.session === null ? {} : { session: request.session }),
        },
        idempotencyKey: null,
        streaming: request.listening,
      }
    : null;
