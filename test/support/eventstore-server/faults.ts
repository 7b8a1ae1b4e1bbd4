/** What goes wrong with one append. */
export type AppendFault =
  /** It is written, and the client never hears of it. */
  | 'silent-after-commit'
  /** It is written, and the connection breaks before the answer. */
  | 'broken-after-commit'
  /** It is not written, and the client never hears of it. */
  | 'silent'
  /** The node is not ready: it starts, or is in maintenance. */
  | 'unavailable'
  /** The leader heard too late from the others. */
  | 'timeout'
  /** It is written once `faults.release()` is called, and the client has no answer before. */
  | 'held';

/** Faults on demand of all nodes of a server. */
export class Faults {
  readonly #appends: AppendFault[] = [];
  readonly #held: (() => void)[] = [];
  readonly #cutters = new Set<(why: 'unavailable' | 'cancelled') => void>();
  readonly #mutes: (() => void)[] = [];
  #twice = 0;
  /** Whether reads and new subscriptions are refused. */
  readsRefused = false;
  /** Which streams the faults of appends meet. */
  #streams: RegExp = /./;

  /** The next appends to matching streams meet these, in order; those after them none. */
  nextAppends(faults: readonly AppendFault[], streams = /./): void {
    this.#appends.push(...faults);
    this.#streams = streams;
  }

  /** Faults of appends that nothing has met yet. */
  get waiting(): number {
    return this.#appends.length;
  }

  takeAppend(stream: string): AppendFault | null {
    return this.#streams.test(stream) ? (this.#appends.shift() ?? null) : null;
  }

  hold(write: () => void): void {
    this.#held.push(write);
  }

  /** How many appends are held. */
  get held(): number {
    return this.#held.length;
  }

  /** Writes what was held, in the order in which it came. */
  release(): void {
    for (const write of this.#held.splice(0)) write();
  }

  /** Ends every running subscription. */
  dropSubscriptions(why: 'unavailable' | 'cancelled' = 'unavailable'): void {
    for (const cut of [...this.#cutters]) cut(why);
  }

  /** How many subscriptions run. */
  get subscriptions(): number {
    return this.#cutters.size;
  }

  /** To be called by a subscription; answers how to take it back. */
  onDrop(cut: (why: 'unavailable' | 'cancelled') => void): () => void {
    this.#cutters.add(cut);
    return () => this.#cutters.delete(cut);
  }

  /** The next events of subscriptions are sent twice. */
  sendTwice(events: number): void {
    this.#twice += events;
  }

  takeTwice(): boolean {
    if (this.#twice === 0) return false;
    this.#twice -= 1;
    return true;
  }

  /** Running subscriptions send nothing more and stay open; new ones are as they should be. */
  silenceSubscriptions(): void {
    for (const mute of this.#mutes.splice(0)) mute();
  }

  onSilence(mute: () => void): void {
    this.#mutes.push(mute);
  }
}
