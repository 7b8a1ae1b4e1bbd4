import type { Delta } from './turns.port.ts';

/** Text on its way to whoever listens. Nothing here is recorded, and nothing recorded depends on it. */
export class Deltas {
  readonly #listeners = new Map<string, Set<(delta: Delta) => void>>();

  listen(turn: string, listener: (delta: Delta) => void): () => void {
    const listeners = this.#listeners.get(turn) ?? new Set();
    this.#listeners.set(turn, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(turn) === listeners)
        this.#listeners.delete(turn);
    };
  }

  hasListeners(turn: string): boolean {
    return this.#listeners.has(turn);
  }

  send(delta: Delta): void {
    for (const listener of this.#listeners.get(delta.turn) ?? []) listener(delta);
  }
}
