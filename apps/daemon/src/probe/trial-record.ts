import {
  coverageOf,
  parityMatrix,
  type EventStore,
  type LockstepEvent,
  type ParityState,
} from '@lockstep/engine';
import { pathNames, triggersByPath, type SettingKey, type Trigger } from '@lockstep/policy';

/** What one attack over one way came to: all that it left in the throwaway log, content included. */
export interface TrialRecord {
  readonly agent: string;
  readonly trigger: Trigger;
  readonly attack: string;
  readonly events: readonly LockstepEvent[];
  /** Texts that the events cite. */
  readonly texts: readonly string[];
}

/** Every way to start a turn, path by path. */
export const allTriggers: readonly Trigger[] = pathNames.flatMap((path) => triggersByPath[path]);

const matrix = parityMatrix({ supportedTriggers: allTriggers });

/** Follows the throwaway log trial by trial: what the matrix of it is, and which trials showed something new. */
export class TrialReader {
  readonly #store: EventStore;
  readonly #setting: SettingKey | null;
  #after: Parameters<EventStore['readAll']>[0]['after'] = 'start';
  #state = matrix.initial();
  #turns = 0;
  #covered: ReadonlySet<string> = new Set();
  /** Rows and grants of trials that are not kept: a later one may rest on them. */
  #carried: LockstepEvent[] = [];
  readonly #texts = new Map<string, string>();

  /** @param setting the one that matters; null = all */
  constructor(store: EventStore, setting: SettingKey | null) {
    this.#store = store;
    this.#setting = setting;
  }

  get state(): ParityState {
    return this.#state;
  }

  get turns(): number {
    return this.#turns;
  }

  /** Takes in what was recorded since the last call. Null when it showed nothing that was not shown before. */
  async next(
    trial: Pick<TrialRecord, 'agent' | 'trigger' | 'attack'>,
  ): Promise<TrialRecord | null> {
    const fresh = await this.read();
    const covered = coverageOf(this.#state, this.#setting);
    const isNew = covered.size > this.#covered.size;
    this.#covered = covered;
    const events = fresh.filter(isEvidence);
    if (!isNew || events.length === 0) {
      this.#carried.push(...events.filter(({ stream }) => !stream.startsWith('turn-')));
      return null;
    }
    const kept = [...this.#carried, ...events];
    this.#carried = [];
    return { ...trial, events: kept, texts: this.#citedBy(kept) };
  }

  /** All events since the last call. */
  async read(): Promise<readonly LockstepEvent[]> {
    const events: LockstepEvent[] = [];
    for (;;) {
      const page = await this.#store.readAll({ after: this.#after, limit: 1_000 });
      for (const event of page.events) this.#take(event);
      events.push(...page.events);
      this.#after = page.next;
      if (page.end) return events;
    }
  }

  #take(event: LockstepEvent): void {
    if (event.type === 'TurnRequested') this.#turns += 1;
    if (event.type === 'ArtifactRecorded') {
      const { digest, part, text } = event.data;
      this.#texts.set(digest, part === 0 ? text : (this.#texts.get(digest) ?? '') + text);
    }
    this.#state = matrix.fold(this.#state, event);
  }

  #citedBy(events: readonly LockstepEvent[]): readonly string[] {
    const cited = new Set(JSON.stringify(events).match(/\b[0-9a-f]{64}\b/g));
    return [...cited].flatMap((digest) => this.#texts.get(digest) ?? []);
  }
}

/** What a turn is judged by: itself, and the rows and grants that it may use. */
const isEvidence = ({ stream }: LockstepEvent): boolean => /^(turn|agent|memory)-/.test(stream);
