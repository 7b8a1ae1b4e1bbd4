import type { Clock, Ledger, LiveToken } from '@lockstep/engine';
import type { Principal } from '@lockstep/policy';
import type { CurrentConfig } from '../config/current-config.port.ts';
import { rolesOf, type Caller } from './caller.ts';
import type { Sessions } from './sessions.ts';
import { hashSecret, sameSecret } from './token-secret.ts';

/** Name of the daemon's own token, which nobody else may issue. */
export const localTokenName = 'local';
export const sessionCookie = 'lockstep_session';

export interface Credentials {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  readonly csrf: string | undefined;
  /** GET and HEAD change nothing and need no CSRF header. */
  readonly changes: boolean;
}

export type Authentication =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'invalid'; readonly why: string }
  /** A valid session without the header that only our own page can send. */
  | { readonly kind: 'forged'; readonly caller: Caller };

/** Tells from headers who makes a request. Tokens are looked up by hash, so that no comparison leaks their text. */
export class Authenticator {
  readonly #ledger: Ledger;
  readonly #config: CurrentConfig;
  readonly #sessions: Sessions;
  readonly #clock: Clock;

  constructor(parts: {
    readonly ledger: Ledger;
    readonly config: CurrentConfig;
    readonly sessions: Sessions;
    readonly clock: Clock;
  }) {
    this.#ledger = parts.ledger;
    this.#config = parts.config;
    this.#sessions = parts.sessions;
    this.#clock = parts.clock;
  }

  authenticate(given: Credentials): Authentication {
    if (given.authorization !== undefined) {
      const token = /^Bearer +(\S+)$/i.exec(given.authorization)?.[1];
      const caller = token === undefined ? null : this.byToken(token);
      return caller === null
        ? { kind: 'invalid', why: 'the token is unknown, expired or revoked' }
        : { kind: 'caller', caller };
    }
    const cookie = cookieValue(given.cookie, sessionCookie);
    if (cookie === null) return { kind: 'anonymous' };
    const session = this.#sessions.find(cookie);
    const token = session === null ? null : this.#live(session.token);
    if (session === null || token === null)
      return { kind: 'invalid', why: 'the session has ended: sign in again' };
    const caller = this.#caller(token, 'cookie', session.hash);
    if (given.changes && !(given.csrf !== undefined && sameSecret(given.csrf, session.csrf)))
      return { kind: 'forged', caller };
    return { kind: 'caller', caller };
  }

  byToken(text: string): Caller | null {
    const found = this.#ledger.tokenByHash(hashSecret(text));
    const token = found === null ? null : this.#live(found.id);
    return token === null ? null : this.#caller(token, 'bearer', null);
  }

  byTokenId(id: string): Caller | null {
    const token = this.#live(id);
    return token === null ? null : this.#caller(token, 'bearer', null);
  }

  /** The same caller as config and log have it now; null once its token or session has ended. */
  refresh(caller: Caller): Caller | null {
    const token = this.#live(caller.token);
    if (token === null) return null;
    if (caller.session !== null && this.#sessions.byHash(caller.session) === null) return null;
    return this.#caller(token, caller.via, caller.session);
  }

  #live(id: string): LiveToken | null {
    const token = this.#ledger.tokenById(id);
    if (token === null) return null;
    return token.expires === 'never' || token.expires > this.#clock.now() ? token : null;
  }

  #caller(token: LiveToken, via: Caller['via'], session: string | null): Caller {
    const principal = this.#principal(token);
    const people = this.#config.current().config.people;
    // The machine's own token acts as admin, whoever sits at the machine.
    const name = principal.kind === 'local' ? null : principal.person;
    const person = name === null ? undefined : people[name];
    return {
      principal,
      token: token.id,
      roles: rolesOf(token.roles, person?.roles ?? null),
      scopes: token.scopes,
      via,
      session,
    };
  }

  #principal(token: LiveToken): Principal {
    const isLocal = token.name === localTokenName;
    const identity = isLocal ? 'local:local' : `token:${token.name}`;
    const people = Object.entries(this.#config.current().config.people);
    const person = people.find(([, p]) => p.identities.includes(identity))?.[0] ?? null;
    return isLocal
      ? { kind: 'local', id: 'local', person }
      : { kind: 'token', id: token.id, person };
  }
}

const cookieValue = (header: string | undefined, name: string): string | null => {
  for (const part of header?.split(';') ?? []) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return null;
};
