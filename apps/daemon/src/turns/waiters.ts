/** Lets callers wait for a turn to come to rest. */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Resolves at the next `wake` of the turn, or when the signal aborts. */
  next(turn: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(turn) ?? new Set();
      this.#waiting.set(turn, waiting);
      const done = (): void => {
        waiting.delete(done);
        if (waiting.size === 0 && this.#waiting.get(turn) === waiting) this.#waiting.delete(turn);
        signal.removeEventListener('abort', done);
        resolve();
      };
      waiting.add(done);
      if (signal.aborted) done();
      else signal.addEventListener('abort', done);
    });
  }

  wake(turn: string): void {
    for (const done of [...(this.#waiting.get(turn) ?? [])]) done();
  }
}
