/** Lets the turns of one session run one after the other; those of different sessions run side by side. */
export class SessionQueues<Waiting extends { readonly session: string; readonly turn: string }> {
  readonly #start: (waiting: Waiting) => void;
  readonly #active = new Map<string, string>();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #byTurn = new Map<string, Waiting>();

  constructor(start: (waiting: Waiting) => void) {
    this.#start = start;
  }

  /** A turn that already runs holds its session. */
  hold(session: string, turn: string): void {
    this.#active.set(session, turn);
  }

  add(waiting: Waiting): void {
    this.#byTurn.set(waiting.turn, waiting);
    const line = this.#waiting.get(waiting.session) ?? [];
    this.#waiting.set(waiting.session, line);
    line.push(waiting);
    this.#next(waiting.session);
  }

  /** The turn of a session has ended. */
  ended(session: string, turn: string): void {
    if (this.#active.get(session) !== turn) return;
    this.#active.delete(session);
    this.#next(session);
  }

  /** A turn that has not begun, or null. */
  find(turn: string): Waiting | null {
    return this.#byTurn.get(turn) ?? null;
  }

  /** Takes a turn that has not begun out of its line; null when there is none. */
  remove(turn: string): Waiting | null {
    const waiting = this.#byTurn.get(turn);
    if (waiting === undefined) return null;
    this.#byTurn.delete(turn);
    const line = this.#waiting.get(waiting.session) ?? [];
    line.splice(line.indexOf(waiting), 1);
    return waiting;
  }

  #next(session: string): void {
    if (this.#active.has(session)) return;
    const line = this.#waiting.get(session);
    const first = line?.shift();
    if (line?.length === 0) this.#waiting.delete(session);
    if (first === undefined) return;
    this.#active.set(session, first.turn);
    this.#byTurn.delete(first.turn);
    this.#start(first);
  }
}
