import type {
  DataOf,
  EventStore,
  ExpectedRevision,
  Fact,
  Ids,
  LockstepEvent,
  NewEvent,
} from '@lockstep/engine';
import type { Principal, Trigger } from '@lockstep/policy';
import type { DaemonIdentity } from '../tokens.ts';

/** Facts of one job. */
export type JobFact = Extract<Fact, { type: `Job${string}` }>;
export type JobOutcome = DataOf<'JobRun'>['outcome'];

/** Who a fact of a job is of. */
export interface JobContext {
  readonly agent: string;
  readonly trigger: Extract<Trigger, 'cron' | 'heartbeat'>;
  readonly principal: Principal;
  readonly turn: string | null;
}

/** The streams `job-<name>`: everything about one job happens one after the other, and is recorded there. */
export class JobLog {
  readonly #parts: {
    readonly store: EventStore;
    readonly ids: Ids;
    readonly identity: DaemonIdentity;
  };
  readonly #tails = new Map<string, Promise<unknown>>();
  readonly #revisions = new Map<string, ExpectedRevision>();

  constructor(parts: {
    readonly store: EventStore;
    readonly ids: Ids;
    readonly identity: DaemonIdentity;
  }) {
    this.#parts = parts;
  }

  /** Does something about a job after everything else about it is done. */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(name) ?? Promise.resolve();
    const mine = before.then(work);
    const tail = mine.catch(() => undefined);
    this.#tails.set(name, tail);
    void tail.then(() => {
      if (this.#tails.get(name) === tail) this.#tails.delete(name);
    });
    return mine;
  }

  /** Records facts of a job in one append. Call it in turn. Null = the log takes no events now. */
  async record(
    name: string,
    facts: readonly [JobFact, ...JobFact[]],
    context: JobContext,
  ): Promise<readonly LockstepEvent[] | null> {
    const [first, ...rest] = facts.map((fact) => this.#envelope(fact, context));
    if (first === undefined) return [];
    for (;;) {
      const expected = this.#revisions.get(name) ?? 'no-stream';
      const result = await this.#parts.store.append(`job-${name}`, [first, ...rest], expected);
      if (result.ok) {
        this.#revisions.set(name, result.revision);
        return result.events;
      }
      // INVARIANT: one daemon writes these streams, each in turn: a conflict says only what a restart forgot.
      if (result.reason === 'conflict') this.#revisions.set(name, result.actual);
      else return null;
    }
  }

  #envelope(fact: JobFact, context: JobContext): NewEvent {
    const { ids, identity } = this.#parts;
    const id = ids.next();
    return {
      ...fact,
      id,
      schema: 1,
      meta: {
        agent: context.agent,
        path: 'loop',
        trigger: context.trigger,
        principal: context.principal,
        session: null,
        turn: context.turn,
        root: context.turn,
        parent: null,
        chain: [],
        correlation: context.turn ?? id,
        causation: null,
        attempt: 1,
        daemon: identity.id,
        build: identity.build,
      },
    };
  }
}
