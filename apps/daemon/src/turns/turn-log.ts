import {
  evolve,
  initialState,
  type EventOf,
  type ExpectedRevision,
  type LockstepEvent,
  type NewEvent,
  type NewMeta,
  type RecordedFact,
  type TurnFact,
  type TurnState,
} from '@lockstep/engine';
import {
  hoist,
  hydrate,
  loadTexts,
  needsHoist,
  needsHydration,
  type Texts,
} from './turn-contents.ts';
import type { TurnParts } from './turn-parts.ts';

/** The log does not take what this turn has to record: its work stops here and is taken up again at the next start. */
export class TurnHaltedError extends Error {
  readonly code = 'turn_halted';
}

/** The stream of one turn, written by one runner: facts are decided on at once and recorded in one append with what follows. */
export class TurnLog {
  readonly texts: Texts = new Map();
  /** Resolves once something is recorded. */
  readonly begun: Promise<void>;
  #begin = (): void => undefined;
  readonly #parts: TurnParts;
  readonly #meta: NewMeta;
  readonly #stream: string;
  #recorded: TurnState;
  #state: TurnState | null = null;
  #waiting: TurnFact[] = [];
  #expected: ExpectedRevision;
  readonly #started = new Map<string, EventOf<'ToolCallStarted'>>();
  #position = '';

  constructor(parts: TurnParts, meta: NewMeta, turn: string) {
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.#parts = parts;
    this.#meta = meta;
    this.#stream = `turn-${turn}`;
    this.#recorded = initialState(turn);
    this.#expected = 'no-stream';
  }

  /** As it will be once everything decided is recorded. */
  get state(): TurnState {
    // Worked out only when somebody asks: what is recorded at once needs no guess.
    this.#state ??= this.#ahead();
    return this.#state;
  }

  /** As the log has it. */
  get recorded(): TurnState {
    return this.#recorded;
  }

  /** The intent of a call that an earlier run of the daemon left running; null = it was none. */
  startedCall(call: string): EventOf<'ToolCallStarted'> | null {
    return this.#started.get(call) ?? null;
  }

  get meta(): NewMeta {
    return this.#meta;
  }

  /** Position of the last recorded event; empty before the first. */
  get position(): string {
    return this.#position;
  }

  get isClean(): boolean {
    return this.#waiting.length === 0;
  }

  /** Takes up what the stream holds, as after a restart. */
  async load(events: readonly LockstepEvent[]): Promise<void> {
    await this.#fold(events);
    this.#state = this.#recorded;
    for (const event of events)
      if (event.type === 'ToolCallStarted') this.#started.set(event.data.call, event);
  }

  /** Loads the texts that its messages are built from. */
  loadTexts(): Promise<void> {
    return loadTexts(this.#recorded, this.#parts.artifacts, this.texts);
  }

  /** Adds facts that the next flush records. */
  add(facts: readonly TurnFact[]): void {
    this.#waiting.push(...facts);
    this.#state = null;
  }

  /** Records everything added, in one append. Resolves with the acknowledged events.
   * @throws TurnHaltedError when the log takes no writes or another writer was there */
  async flush(): Promise<readonly LockstepEvent[]> {
    if (this.#waiting.length === 0) return [];
    const facts = this.#waiting;
    this.#waiting = [];
    try {
      const events: NewEvent[] = [];
      for (const fact of facts) {
        const small = needsHoist(fact)
          ? await hoist(fact, this.#parts.artifacts, this.texts)
          : fact;
        events.push(this.#envelope(small));
      }
      const recorded = await this.#append(events);
      await this.#fold(recorded);
      this.#begin();
      return recorded;
    } finally {
      // What was not recorded has not happened.
      this.#state = this.#recorded;
    }
  }

  #ahead(): TurnState {
    const time = this.#parts.clock.now();
    const { daemon } = this.#meta;
    return this.#waiting
      .map((fact): RecordedFact => ({ ...fact, time, meta: { daemon } }))
      .reduce(evolve, this.#recorded);
  }

  async #append(events: readonly NewEvent[]): Promise<readonly LockstepEvent[]> {
    const [first, ...rest] = events;
    if (first === undefined) return [];
    const result = await this.#parts.store.append(this.#stream, [first, ...rest], this.#expected);
    if (result.ok) {
      this.#expected = result.revision;
      this.#position = result.position;
      return result.events;
    }
    switch (result.reason) {
      case 'conflict':
        throw new TurnHaltedError('another writer has appended to the stream of this turn');
      case 'unavailable':
        throw new TurnHaltedError(result.message);
      case 'too_large': {
        if (rest.length === 0)
          throw new TurnHaltedError(`an event of ${result.bytes} bytes exceeds ${result.limit}`);
        const half = Math.ceil(events.length / 2);
        const before = await this.#append(events.slice(0, half));
        return [...before, ...(await this.#append(events.slice(half)))];
      }
    }
  }

  async #fold(events: readonly LockstepEvent[]): Promise<void> {
    for (const event of events) {
      const fact = needsHydration(event)
        ? await hydrate(event, this.#parts.artifacts, this.texts)
        : (event as RecordedFact);
      this.#recorded = evolve(this.#recorded, fact);
      this.#expected = event.revision;
      this.#position = event.position;
    }
  }

  #envelope(fact: TurnFact): NewEvent {
    const attempt = 'attempt' in fact.data ? fact.data.attempt : 1;
    return {
      ...fact,
      id: this.#parts.ids.next(),
      schema: 1,
      meta: attempt === 1 ? this.#meta : { ...this.#meta, attempt },
    };
  }
}

/** Whether an error says that the log takes nothing now, be it an event or a text that one cites. */
export const isHalt = (error: unknown): boolean =>
  error instanceof TurnHaltedError ||
  (error instanceof Error && 'code' in error && error.code === 'store_unavailable');
