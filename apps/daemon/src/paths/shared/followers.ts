import type { Artifacts, EventStore, LockstepEvent, Position, TurnAnswer } from '@lockstep/engine';
import { holdsAny, type Caller } from '../../access/caller.ts';
import { seesEvent, showAnswer, showEvent } from '../../http/show.ts';
import type { Delta, Turns } from '../../turns/turns.port.ts';
import { askedBy, type Asked } from './asked.ts';
import { followTurn } from './follow-turn.ts';

/** Where what happens to followed turns goes out. */
export interface Outlet {
  /** The client takes nothing more now: text on its way is left out. */
  readonly isFull: () => boolean;
  readonly event: (event: LockstepEvent) => void;
  readonly delta: (delta: Delta) => void;
  readonly asked: (asked: Asked) => void;
  readonly end: (answer: TurnAnswer) => void;
}

export interface FollowersParts {
  readonly store: EventStore;
  readonly turns: Turns;
  readonly artifacts: Artifacts;
}

/** One turn to follow for a client. */
export interface Follow {
  readonly turn: string;
  readonly session: string;
  readonly after: Position | 'start';
  readonly events: boolean;
  readonly deltas: boolean;
  /** The caller may read what was said. */
  readonly content: boolean;
}

/** The turns that one connection follows. */
export class Followers {
  readonly #parts: FollowersParts;
  readonly #caller: () => Caller;
  readonly #outlet: Outlet;
  readonly #open = new Map<string, AbortController>();

  /** @param caller throws once the caller's token or session has ended */
  constructor(parts: FollowersParts, caller: () => Caller, outlet: Outlet) {
    this.#parts = parts;
    this.#caller = caller;
    this.#outlet = outlet;
  }

  get size(): number {
    return this.#open.size;
  }

  has(turn: string): boolean {
    return this.#open.has(turn);
  }

  /** Tells the outlet of the turn from now on; resolves when there is nothing more to tell. */
  async follow(want: Follow): Promise<void> {
    const { turn, session, after } = want;
    if (this.#open.has(turn)) return;
    const stop = new AbortController();
    this.#open.set(turn, stop);
    // What is asked may have to be read first; the end of the turn comes after all of it.
    let asking = Promise.resolve();
    const options = {
      turn,
      session,
      after,
      deltas: want.deltas && want.content,
      signal: stop.signal,
    };
    try {
      const answer = await followTurn(this.#parts, options, (followed) => {
        if (followed.kind === 'delta') {
          if (!this.#outlet.isFull()) this.#outlet.delta(followed.delta);
          return;
        }
        const { event } = followed;
        if (want.events) this.#event(event);
        asking = asking.then(() => this.#asked(event, want));
        // It is waited for below, unless the turn cannot be told of at all.
        asking.catch(() => undefined);
      });
      await asking;
      if (answer !== null && !stop.signal.aborted)
        this.#outlet.end(showAnswer(answer, want.content));
    } finally {
      this.#open.delete(turn);
    }
  }

  /** False when it is not followed. */
  unfollow(turn: string): boolean {
    const stop = this.#open.get(turn);
    stop?.abort();
    return stop !== undefined;
  }

  closeAll(): void {
    for (const stop of this.#open.values()) stop.abort();
  }

  #event(event: LockstepEvent): void {
    const caller = this.#caller();
    if (seesEvent(caller, event)) this.#outlet.event(showEvent(caller, event));
  }

  async #asked(event: LockstepEvent, { content }: Follow): Promise<void> {
    if (event.type !== 'ApprovalRequested' && event.type !== 'QuestionAsked') return;
    const caller = this.#caller();
    if (!seesEvent(caller, event)) return;
    if (!content && !holdsAny(caller, ['approver'])) return;
    const asked = await askedBy(event, this.#parts.artifacts);
    if (asked !== null) this.#outlet.asked(asked);
  }
}
