import type { Clock } from '@lockstep/engine';
import { hashSecret, mintSecret } from './token-secret.ts';

/** A signed-in browser. It holds a token's id, so that a revoked token ends its sessions too. */
export interface CookieSession {
  /** SHA-256 of the cookie's value. */
  readonly hash: string;
  readonly token: string;
  /** Must come back in the header `lockstep-csrf`. */
  readonly csrf: string;
  readonly expires: number;
}

export const sessionTtlMs = 12 * 60 * 60_000;
export const linkTtlMs = 10 * 60_000;

/** Cookie sessions and sign-in links. Both live in memory: a new start asks for a new sign-in. */
export class Sessions {
  readonly #clock: Clock;
  readonly #sessions = new Map<string, CookieSession>();
  readonly #links = new Map<string, { readonly token: string; readonly expires: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A code that opens one session, once, within ten minutes. */
  createLink(token: string): { readonly code: string; readonly expires: number } {
    this.#forgetExpired();
    const code = mintSecret();
    const expires = this.#clock.now() + linkTtlMs;
    this.#links.set(hashSecret(code), { token, expires });
    return { code, expires };
  }

  /** The token behind a link, which is used up by this; null when it is unknown, used or expired. */
  redeemLink(code: string): string | null {
    const hash = hashSecret(code);
    const link = this.#links.get(hash);
    this.#links.delete(hash);
    return link !== undefined && link.expires > this.#clock.now() ? link.token : null;
  }

  open(token: string): { readonly cookie: string; readonly session: CookieSession } {
    this.#forgetExpired();
    const cookie = mintSecret();
    const session = {
      hash: hashSecret(cookie),
      token,
      csrf: mintSecret(),
      expires: this.#clock.now() + sessionTtlMs,
    };
    this.#sessions.set(session.hash, session);
    return { cookie, session };
  }

  find(cookie: string): CookieSession | null {
    return this.byHash(hashSecret(cookie));
  }

  byHash(hash: string): CookieSession | null {
    const session = this.#sessions.get(hash);
    return session !== undefined && session.expires > this.#clock.now() ? session : null;
  }

  close(hash: string): void {
    this.#sessions.delete(hash);
  }

  #forgetExpired(): void {
    const now = this.#clock.now();
    for (const [hash, session] of this.#sessions)
      if (session.expires <= now) this.#sessions.delete(hash);
    for (const [hash, link] of this.#links) if (link.expires <= now) this.#links.delete(hash);
  }
}
