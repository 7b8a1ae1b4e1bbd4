/** Something that stays open to a client. */
export interface LiveChannel {
  /** Aborted once it has ended. */
  readonly signal: AbortSignal;
  end(): void;
}

/** The open streams, so that a revoked token, an ended session or a stop ends them. */
export class LiveStreams {
  readonly #open = new Map<
    LiveChannel,
    { readonly token: string; readonly session: string | null }
  >();

  add(
    channel: LiveChannel,
    owner: { readonly token: string; readonly session: string | null },
  ): void {
    this.#open.set(channel, owner);
    channel.signal.addEventListener('abort', () => this.#open.delete(channel));
    if (channel.signal.aborted) this.#open.delete(channel);
  }

  endToken(token: string): void {
    for (const [channel, owner] of [...this.#open]) if (owner.token === token) channel.end();
  }

  endSession(session: string): void {
    for (const [channel, owner] of [...this.#open]) if (owner.session === session) channel.end();
  }

  endAll(): void {
    for (const channel of [...this.#open.keys()]) channel.end();
  }

  get size(): number {
    return this.#open.size;
  }
}
