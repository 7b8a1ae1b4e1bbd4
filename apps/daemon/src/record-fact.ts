import type {
  Clock,
  EventStore,
  ExpectedRevision,
  Fact,
  Ids,
  LockstepEvent,
  NewEvent,
} from '@lockstep/engine';
import type { Principal } from '@lockstep/policy';

/** The log takes no writes now: the disk is full or read-only, or the store is closed. */
export class LogUnavailableError extends Error {
  readonly code = 'log_unavailable';
}

/** Who stands behind a recorded fact; null for the daemon itself. */
export interface FactContext {
  readonly principal: Principal | null;
  readonly agent?: string;
  readonly session?: string;
  /** The run of probes that it belongs to. */
  readonly probe?: string;
}

/** Records facts on streams that several writers share (`access`, `config`, `daemon`, `agent-<alias>`). */
export interface FactRecorder {
  /** Resolves with the recorded events when they are durable.
   * @throws LogUnavailableError when the log takes no writes */
  record(
    stream: string,
    facts: readonly [Fact, ...Fact[]],
    context: FactContext,
  ): Promise<readonly LockstepEvent[]>;
}

/** Appends after the newest revision; another writer in between means a new try, in order, one append per stream at a time. */
export const createFactRecorder = (parts: {
  readonly store: EventStore;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly daemon: string;
  readonly build: string;
}): FactRecorder => {
  const tails = new Map<string, Promise<unknown>>();
  const revisions = new Map<string, ExpectedRevision>();

  const append = async (
    stream: string,
    events: readonly [NewEvent, ...NewEvent[]],
  ): Promise<readonly LockstepEvent[]> => {
    for (;;) {
      const expected = revisions.get(stream) ?? 'no-stream';
      const result = await parts.store.append(stream, events, expected);
      if (result.ok) {
        revisions.set(stream, result.revision);
        return result.events;
      }
      if (result.reason === 'conflict') revisions.set(stream, result.actual);
      else if (result.reason === 'unavailable') throw new LogUnavailableError(result.message);
      else throw new RangeError(`an event of ${result.bytes} bytes exceeds ${result.limit}`);
    }
  };

  return {
    record: (stream, facts, context) => {
      const envelope = (fact: Fact): NewEvent => newEvent(fact, parts.ids.next(), context, parts);
      const [first, ...rest] = facts;
      const events: [NewEvent, ...NewEvent[]] = [envelope(first), ...rest.map(envelope)];
      const before = tails.get(stream) ?? Promise.resolve();
      const mine = before.then(() => append(stream, events));
      tails.set(
        stream,
        mine.catch(() => undefined),
      );
      return mine;
    },
  };
};

const newEvent = (
  fact: Fact,
  id: string,
  context: FactContext,
  by: { readonly daemon: string; readonly build: string },
): NewEvent => ({
  ...fact,
  id,
  schema: 1,
  meta: {
    agent: context.agent ?? null,
    path: null,
    trigger: null,
    principal: context.principal,
    session: context.session ?? null,
    turn: null,
    root: null,
    parent: null,
    chain: [],
    correlation: id,
    causation: null,
    attempt: 1,
    daemon: by.daemon,
    build: by.build,
    ...(context.probe === undefined ? {} : { probe: context.probe }),
  },
});
