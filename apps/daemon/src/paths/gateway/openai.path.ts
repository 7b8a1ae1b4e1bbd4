import { digestOf, type Principal } from '@lockstep/policy';
import type { TurnRequest } from '../../turns/turns.port.ts';

/** A message as far as it is taken: text of one who speaks. */
export interface OpenAiMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant';
  readonly text: string;
}

/** `POST /v1/chat/completions` as it comes in, its caller known. The last message is the user's. */
export interface OpenAiWire {
  readonly caller: { readonly principal: Principal; readonly token: string };
  readonly model: string;
  readonly messages: readonly OpenAiMessage[];
  readonly session: string | null;
  readonly idempotencyKey: string | null;
  readonly stream: boolean;
}

/** The request behind the wire form. What the client says was said before counts only where no session of ours remembers it. */
export const parseOpenAi = (wire: OpenAiWire): TurnRequest => {
  const input = wire.messages.at(-1)?.text ?? '';
  const earlier =
    wire.session === null
      ? wire.messages.slice(0, -1).map(({ role, text }) => ({
          role: role === 'developer' ? ('system' as const) : role,
          text,
        }))
      : [];
  return {
    agent: wire.model,
    principal: wire.caller.principal,
    session: wire.session,
    origin: { kind: 'openai', token: wire.caller.token },
    client: 'none',
    input,
    idempotency: idempotencyOf(wire),
    listening: wire.stream,
    ...(earlier.length === 0 ? {} : { earlier }),
  };
};

/** The wire form of a request without a key that came by this endpoint: parsing it again gives the same request. */
export const encodeOpenAi = (request: TurnRequest): OpenAiWire | null => {
  const { origin, session, earlier = [] } = request;
  if (origin.kind !== 'openai' || request.idempotency !== null || request.client !== 'none')
    return null;
  // A session remembers for itself.
  if (session !== null && earlier.length > 0) return null;
  return {
    caller: { principal: request.principal, token: origin.token },
    model: request.agent,
    messages: [...earlier, { role: 'user', text: request.input }],
    session,
    idempotencyKey: null,
    stream: request.listening,
  };
};

const idempotencyOf = ({
  caller,
  idempotencyKey,
  model,
  messages,
  session,
}: OpenAiWire): TurnRequest['idempotency'] => {
  if (idempotencyKey === null) return null;
  const said = messages.map(({ role, text }) => [role, text]);
  return {
    key: digestOf(['openai', caller.principal.kind, caller.principal.id, idempotencyKey]),
    body: digestOf([model, said, session]),
  };
};
