import type { Ids } from '@lockstep/engine';
import { digestOf } from '@lockstep/policy';
import type { TurnRequest } from './turns.port.ts';

/** Where a request goes. */
export interface RequestIds {
  readonly session: string;
  readonly message: string;
  readonly turn: string;
}

/** Ids of a request. With an idempotency key they follow from it, so that a repeat is the same message, session and turn. Null = the
 * session's name is not one of this agent's. */
export const idsOf = (asked: TurnRequest, ids: Ids): RequestIds | null => {
  const key = asked.idempotency?.key;
  const made = key === undefined ? ids.next() : digestOf(['session', key]).slice(0, 32);
  const session = sessionName(asked, made);
  if (session === null) return null;
  return key === undefined
    ? { session, message: ids.next(), turn: ids.next() }
    : { session, message: key, turn: digestOf(['turn', session, key]).slice(0, 32) };
};

/** The session of a turn that takes none: its own. */
export const ownSession = (agent: string, turn: string): string => `session-${agent}-${turn}`;

const sessionName = (asked: TurnRequest, made: string): string | null => {
  const prefix = `session-${asked.agent}-`;
  if (asked.session === null) return `${prefix}${made}`;
  const id = asked.session.startsWith(prefix) ? asked.session.slice(prefix.length) : asked.session;
  // A full name of somebody else's session is no new name here.
  if (id.startsWith('session-')) return null;
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(id) ? `${prefix}${id}` : null;
};
