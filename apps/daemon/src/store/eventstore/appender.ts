import { setTimeout as delay } from 'node:timers/promises';
import { NO_STREAM, type EventData } from '@eventstore/db-client';
import type { AppendResult, LockstepEvent } from '@lockstep/engine';
import { revisionOf, type Append } from '../sqlite/wire-append.ts';
import { failureOf } from './failures.ts';
import { oneRecord, type Calls } from './one-record.ts';
import { pauseBefore, within } from './timings.ts';
import { toServer } from './wire-event.ts';
import type { ClusterLog, PendingAppend } from './cluster-log.ts';
import type { Follower } from './follower.ts';

export interface AppenderParts extends Calls {
  readonly log: ClusterLog;
  readonly follower: Follower;
  readonly prefix: string;
}

/** Sends one append until its outcome is known, or its time is up. It is done when its events were folded from `$all`, whatever
 * became of the acknowledgement; sending it again under the same ids and the same expected revision writes nothing twice. */
export const sendAppend = (
  parts: AppenderParts,
  append: Append,
  now: number,
): Promise<AppendResult> => {
  const { log } = parts;
  const stop = new AbortController();
  return new Promise((resolve) => {
    const settle = (result: AppendResult): void => {
      stop.abort();
      log.forget(pending);
      resolve(result);
    };
    const pending: PendingAppend = {
      stream: append.stream,
      events: new Map(append.events.map((event) => [event.id, event])),
      seen: (events) => {
        settle(acknowledged(events, false));
      },
    };
    log.expect(pending);
    send(parts, append, now, stop.signal).then(settle, () => {
      settle(noAnswer(parts.where, 'its stream cannot be read'));
    });
  });
};

/** The result of events that stand in the log.
 * @throws TypeError when there is none */
export const acknowledged = (events: readonly LockstepEvent[], repeat: boolean): AppendResult => {
  const last = events.at(-1);
  if (last === undefined) throw new TypeError('an append holds at least one event');
  return { ok: true, revision: last.revision, position: last.position, repeat, events };
};

const noAnswer = (where: string, why: string): AppendResult => ({
  ok: false,
  reason: 'unavailable',
  message: `the event store at \`${where}\` cannot be written now (${why}), check the cluster`,
});

/** Answers only what `$all` cannot say: a conflict, or that there is no outcome. */
const send = async (
  parts: AppenderParts,
  append: Append,
  now: number,
  stop: AbortSignal,
): Promise<AppendResult> => {
  const { timings, where } = parts;
  const until = performance.now() + timings.append;
  const events = append.events.map((event) => toServer(event, now));
  for (let attempt = 0; ; attempt++) {
    const outcome = await sendOnce(parts, append, events);
    if (isOver(stop)) return await never();
    if (outcome.kind === 'acknowledged') return await shownOrSilent(parts, until, stop);
    if (outcome.kind === 'conflict') return await conflictOf(parts, append);
    const pause = pauseBefore(attempt, timings);
    if (outcome.kind === 'never' || performance.now() + pause > until)
      return noAnswer(where, outcome.why);
    await delay(pause);
    if (isOver(stop)) return await never();
  }
};

type Outcome = { readonly kind: 'acknowledged' } | ReturnType<typeof failureOf>;

const sendOnce = async (
  { client, prefix, timings }: AppenderParts,
  { stream, expected }: Append,
  events: EventData[],
): Promise<Outcome> => {
  try {
    const sent = client.appendToStream(prefix + stream, events, {
      expectedRevision: expected === 'no-stream' ? NO_STREAM : BigInt(expected),
      requiresLeader: true,
      deadline: timings.call,
    });
    // The client's own deadline does not run while it looks for a node.
    const outcome = await within(sent, timings.call * 2);
    return outcome === 'late'
      ? { kind: 'again', why: 'no answer came in time' }
      : { kind: 'acknowledged' };
  } catch (error) {
    return failureOf(error);
  }
};

/** Acknowledged events come in `$all` at once; if they do not, the subscription is dead without a word. */
const shownOrSilent = async (
  { follower, timings, where }: AppenderParts,
  until: number,
  stop: AbortSignal,
): Promise<AppendResult> => {
  while (performance.now() < until) {
    await delay(timings.show, undefined, { signal: stop }).catch(() => undefined);
    if (isOver(stop)) return await never();
    follower.suspect();
  }
  return noAnswer(where, 'it was written and is not shown');
};

/** What the stream is at. Nobody is told of a revision before its event was folded, so that who reads again finds it. */
const conflictOf = async (parts: AppenderParts, append: Append): Promise<AppendResult> => {
  const last = await oneRecord(parts, parts.prefix + append.stream, 'last');
  if (last !== null) await within(parts.log.known(last.id), parts.timings.total);
  const actual = revisionOf(parts.log.lastRevision(append.stream));
  return { ok: false, reason: 'conflict', expected: append.expected, actual };
};

/** Asked anew each time: it changes while something is awaited. */
const isOver = (signal: AbortSignal): boolean => signal.aborted;

const never = (): Promise<never> => new Promise(() => undefined);
