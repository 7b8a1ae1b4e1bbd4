import type { Clock, DataOf, Ids, Ledger } from '@lockstep/engine';
import type { Principal, Role } from '@lockstep/policy';
import { LogUnavailableError, type FactRecorder } from '../record-fact.ts';
import { hashSecret, mintToken } from './token-secret.ts';

const windowMs = 60_000;
const stream = 'access';

export interface TokenWish {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly scopes: { readonly agents: readonly string[]; readonly tools: readonly string[] };
  readonly expires: number | 'never';
}

/** Writes who came in, and who did not, to the stream `access`. */
export class AccessLog {
  readonly #recorder: FactRecorder;
  readonly #ledger: Ledger;
  readonly #ids: Ids;
  readonly #clock: Clock;
  #uncounted = 0;
  #lastCounted = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: {
    readonly recorder: FactRecorder;
    readonly ledger: Ledger;
    readonly ids: Ids;
    readonly clock: Clock;
  }) {
    this.#recorder = parts.recorder;
    this.#ledger = parts.ledger;
    this.#ids = parts.ids;
    this.#clock = parts.clock;
  }

  /** Issues a token. Its text is answered once and never kept. */
  async issue(
    wish: TokenWish,
    by: Principal | null,
  ): Promise<{ readonly id: string; readonly token: string }> {
    const token = mintToken();
    const id = this.#ids.next();
    const data: DataOf<'TokenIssued'> = {
      token: id,
      name: wish.name,
      hash: hashSecret(token),
      roles: [...wish.roles],
      scopes: { agents: [...wish.scopes.agents], tools: [...wish.scopes.tools] },
      expires: wish.expires,
      by: by?.id ?? 'daemon',
    };
    await this.#recorder.record(stream, [{ type: 'TokenIssued', data }], { principal: by });
    return { id, token };
  }

  /** False when there is no such token. */
  async revoke(id: string, by: Principal | null): Promise<boolean> {
    if (this.#ledger.tokenById(id) === null) return false;
    await this.#recorder.record(
      stream,
      [{ type: 'TokenRevoked', data: { token: id, by: by?.id ?? 'daemon' } }],
      { principal: by },
    );
    return true;
  }

  async signedIn(principal: Principal, how: 'link' | 'token', from: string): Promise<void> {
    await this.#recorder.record(
      stream,
      [{ type: 'SignedIn', data: { principal: principal.id, how, from } }],
      { principal },
    );
  }

  async trailViewed(principal: Principal, agent: string, what: string): Promise<void> {
    await this.#recorder.record(
      stream,
      [{ type: 'TrailViewed', data: { principal: principal.id, agent, what } }],
      { principal },
    );
  }

  async denied(principal: Principal, action: string, why: string): Promise<void> {
    const data = { principal: principal.id, action, why, count: 1 };
    await this.#denial(data, principal);
  }

  /** Anybody can cause these, so that they are counted: one event a minute at most. */
  async deniedUnknown(action: string, why: string): Promise<void> {
    this.#uncounted += 1;
    const wait = this.#lastCounted + windowMs - this.#clock.now();
    if (wait <= 0) return this.flush(action, why);
    this.#timer ??= setTimeout(() => {
      this.flush(action, why).catch(() => undefined);
    }, wait).unref();
  }

  /** Records the denials counted so far. */
  async flush(action = 'several', why = 'no valid token'): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const count = this.#uncounted;
    if (count === 0) return;
    this.#uncounted = 0;
    this.#lastCounted = this.#clock.now();
    const recorded = await this.#denial({ principal: null, action, why, count }, null);
    if (!recorded) this.#uncounted += count;
  }

  /** A full disk lets nobody in: the caller is turned away whether or not that can be recorded.
   * @returns false when it could not */
  async #denial(data: DataOf<'AccessDenied'>, principal: Principal | null): Promise<boolean> {
    try {
      await this.#recorder.record(stream, [{ type: 'AccessDenied', data }], { principal });
      return true;
    } catch (thrown) {
      if (thrown instanceof LogUnavailableError) return false;
      throw thrown;
    }
  }
}
