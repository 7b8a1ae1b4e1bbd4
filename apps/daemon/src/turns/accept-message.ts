import type { DataOf, ExpectedRevision, Ledger, NewEvent, NewMeta } from '@lockstep/engine';
import type { Principal } from '@lockstep/policy';
import type { TurnParts } from './turn-parts.ts';

/** A message on its way into a session. */
export interface Message {
  readonly session: string;
  readonly agent: string;
  readonly owner: Principal;
  readonly data: DataOf<'MessageAccepted'>;
  readonly meta: NewMeta;
}

export type Accepted =
  | { readonly kind: 'accepted'; readonly position: string }
  /** The same message was accepted before. */
  | { readonly kind: 'repeat'; readonly turn: string }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'session_refused'; readonly message: string }
  | { readonly kind: 'unavailable'; readonly message: string };

/** Makes a message durable in its session, which it opens if there is none. Nobody but its owner gets into a session. */
export const acceptMessage = async (parts: TurnParts, message: Message): Promise<Accepted> => {
  for (;;) {
    const known = lookUp(parts.ledger, message);
    if (known !== null) return known;
    const session = parts.ledger.session(message.session);
    const accepted = event(parts, message, { type: 'MessageAccepted', data: message.data });
    const events: [NewEvent, ...NewEvent[]] =
      session === null
        ? [
            event(parts, message, {
              type: 'SessionOpened',
              data: { agent: message.agent, owner: message.owner },
            }),
            accepted,
          ]
        : [accepted];
    const expected: ExpectedRevision = session === null ? 'no-stream' : session.revision;
    const result = await parts.store.append(message.session, events, expected);
    if (result.ok) return { kind: 'accepted', position: result.position };
    // Another message of the session came first: look again and try again.
    if (result.reason === 'conflict') continue;
    if (result.reason === 'unavailable') return { kind: 'unavailable', message: result.message };
    return { kind: 'unavailable', message: `the message of ${result.bytes} bytes is too large` };
  }
};

/** Takes an accepted message back before its turn has begun. */
export const dropMessage = async (
  parts: TurnParts,
  dropped: {
    readonly session: string;
    readonly message: string;
    readonly why: string;
    readonly meta: NewMeta;
  },
): Promise<boolean> => {
  const { session, message, why, meta } = dropped;
  for (;;) {
    const known = parts.ledger.session(session);
    if (known === null) return false;
    const fact = { type: 'MessageDropped', data: { message, why } } as const;
    const result = await parts.store.append(
      session,
      [{ ...fact, id: parts.ids.next(), schema: 1, meta }],
      known.revision,
    );
    if (result.ok) return true;
    if (result.reason !== 'conflict') return false;
  }
};

/** What the ledger already says of this message or its session; null = it may go in. */
export const lookUp = (
  ledger: Ledger,
  message: Pick<Message, 'session' | 'agent' | 'owner'> & {
    readonly data: Pick<DataOf<'MessageAccepted'>, 'message' | 'idempotency'>;
  },
): Exclude<Accepted, { kind: 'accepted' | 'unavailable' }> | null => {
  const session = ledger.session(message.session);
  if (session === null) return null;
  const { owner } = session;
  const isOwner = owner.kind === message.owner.kind && owner.id === message.owner.id;
  if (session.agent !== message.agent || !isOwner)
    return {
      kind: 'session_refused',
      message: `session \`${message.session}\` belongs to somebody else: leave it out to open a new one`,
    };
  if (session.closed)
    return {
      kind: 'session_refused',
      message: `session \`${message.session}\` is closed: leave it out to open a new one`,
    };
  const known = ledger.message(message.session, message.data.message);
  if (known === null) return null;
  return known.idempotency?.body === message.data.idempotency?.body
    ? { kind: 'repeat', turn: known.turn }
    : { kind: 'key_reused' };
};

type SessionFact =
  | { readonly type: 'SessionOpened'; readonly data: DataOf<'SessionOpened'> }
  | { readonly type: 'MessageAccepted'; readonly data: DataOf<'MessageAccepted'> };

const event = (parts: TurnParts, message: Message, fact: SessionFact): NewEvent => ({
  ...fact,
  id: parts.ids.next(),
  schema: 1,
  meta: message.meta,
});
