import type { EventStore, LockstepEvent, TurnEvent } from '@lockstep/engine';
import type { PolicySnapshot, Trigger } from '@lockstep/policy';
import { askedBy, settledBy } from './answerer.ts';
import type { Attack } from './attacks/attack.ts';

/** What is tried now: this attack, by the next turn of this agent over this trigger. */
export interface Trial {
  readonly agent: string;
  readonly trigger: Trigger;
  readonly attack: Attack;
}

/** A turn as it has come so far. */
export interface SeenTurn {
  readonly id: string;
  readonly events: readonly TurnEvent[];
  readonly policy: PolicySnapshot | null;
  readonly ended: boolean;
}

interface Turn extends SeenTurn {
  readonly events: TurnEvent[];
  policy: PolicySnapshot | null;
  ended: boolean;
}

const ends: ReadonlySet<string> = new Set([
  'TurnCompleted',
  'TurnFailed',
  'TurnCancelled',
  'TurnRefused',
]);

/** Follows the throwaway log while it is written: which turns there are, under which policy, and what they wait for. */
export class Board {
  trial: Trial | null = null;
  /** Turns that play the attack of the trial. */
  readonly playing = new Set<string>();
  /** Calls that hang until the clock is put forward. */
  hanging: 'model' | 'tool' | null = null;
  readonly #turns = new Map<string, Turn>();
  readonly #artifacts = new Map<string, string>();
  readonly #asked = new Map<string, LockstepEvent>();
  readonly #waiting = new Set<() => void>();
  #close: () => Promise<unknown> = () => Promise.resolve();

  follow(store: EventStore): void {
    const subscription = store.subscribe({ after: 'start' });
    this.#close = async () => subscription.return?.();
    void this.#read(subscription);
  }

  async close(): Promise<void> {
    await this.#close();
  }

  turn(id: string): SeenTurn | null {
    return this.#turns.get(id) ?? null;
  }

  /** Forgets the turns of the trial before. */
  begin(trial: Trial): void {
    this.trial = trial;
    this.playing.clear();
    this.hanging = null;
    for (const [id, turn] of this.#turns) if (turn.ended) this.#turns.delete(id);
  }

  turns(): readonly SeenTurn[] {
    return [...this.#turns.values()];
  }

  /** What waits for a person, oldest first. */
  waits(): readonly LockstepEvent[] {
    return [...this.#asked.values()];
  }

  /** Resolves when something was recorded, at the latest after `ms`. */
  changed(ms: number): Promise<void> {
    return new Promise((done) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(finish);
        done();
      };
      const timer = setTimeout(finish, ms);
      this.#waiting.add(finish);
    });
  }

  wake(): void {
    for (const finish of [...this.#waiting]) finish();
  }

  /** The policy that a turn runs under, once it was read. */
  async policyOf(turn: string): Promise<PolicySnapshot | null> {
    for (let tries = 0; tries < 200; tries += 1) {
      const policy = this.#turns.get(turn)?.policy ?? null;
      if (policy !== null) return policy;
      await this.changed(10);
    }
    return null;
  }

  async #read(events: ReturnType<EventStore['subscribe']>): Promise<void> {
    for await (const message of events) if (message.kind === 'event') this.#take(message.event);
  }

  #take(event: LockstepEvent): void {
    if (event.type === 'ArtifactRecorded') {
      const { digest, part, text } = event.data;
      this.#artifacts.set(digest, part === 0 ? text : (this.#artifacts.get(digest) ?? '') + text);
    }
    this.#takeAsked(event);
    if (event.stream.startsWith('turn-')) this.#takeTurn(event as TurnEvent);
    this.wake();
  }

  /** What is asked waits until it is answered, or until its turn or run has ended. */
  #takeAsked(event: LockstepEvent): void {
    const asked = askedBy(event);
    if (asked !== null) this.#asked.set(asked.id, event);
    const id = settledBy(event);
    if (id !== null) this.#asked.delete(id);
    if (ends.has(event.type))
      for (const [key, { stream }] of this.#asked)
        if (stream === event.stream) this.#asked.delete(key);
  }

  #takeTurn(event: TurnEvent): void {
    const id = event.stream.slice('turn-'.length);
    const known = this.#turns.get(id);
    if (known === undefined && event.type !== 'TurnRequested') return;
    const turn: Turn = known ?? { id, events: [], policy: null, ended: false };
    this.#turns.set(id, turn);
    turn.events.push(event);
    if (event.type === 'PolicyResolved' || event.type === 'PolicyNarrowed')
      turn.policy = this.#snapshot(event.data.snapshot);
    if (ends.has(event.type)) turn.ended = true;
  }

  #snapshot(
    content: Extract<TurnEvent, { type: 'PolicyResolved' }>['data']['snapshot'],
  ): PolicySnapshot | null {
    if ('inline' in content) return content.inline;
    const text = this.#artifacts.get(content.artifact);
    return text === undefined ? null : (JSON.parse(text) as PolicySnapshot);
  }
}
