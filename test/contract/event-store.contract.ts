import {
  appendLimitBytes,
  eventLimitBytes,
  positionOf,
  utf8Bytes,
  type AppendResult,
  type EventFilter,
  type EventStore,
  type ExpectedRevision,
  type Ledger,
  type LockstepEvent,
  type NewEvent,
  type Subscription,
  type SubscriptionMessage,
} from '@lockstep/engine';
import { sequentialIds, type FixedClock } from '@lockstep/engine/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newEvent, sampleMeta, steered } from '../support/sample-events.ts';

/** A new, empty log and what it was opened with. */
export interface OpenedLog {
  readonly store: EventStore;
  readonly ledger: Ledger;
  readonly clock: FixedClock;
}

/** What every event store holds to. There are no knobs: an adapter that needs one is wrong. */
export const eventStoreContract = (name: string, open: () => Promise<OpenedLog>): void => {
  describe(`event store in ${name}`, () => {
    let log: OpenedLog;
    const ids = sequentialIds('c');
    const one = (text = 'x', agent = 'ana'): NewEvent => steered(ids, agent, text);
    const append = (stream: string, expected: ExpectedRevision, ...events: NewEvent[]) =>
      log.store.append(stream, nonEmpty(events), expected);

    beforeEach(async () => {
      log = await open();
    });
    afterEach(() => log.store.close());

    describe('given an empty log', () => {
      it('has its head at the start and ends a read at once', async () => {
        expect(await log.store.head()).toBe('start');
        expect(await log.store.readAll({ after: 'start', limit: 10 })).toEqual({
          events: [],
          next: 'start',
          end: true,
        });
        expect(await log.store.readStream('turn-1')).toEqual([]);
      });

      it('refuses a revision for a stream that is not there', async () => {
        expect(await append('turn-1', 0, one())).toEqual({
          ok: false,
          reason: 'conflict',
          expected: 0,
          actual: 'no-stream',
        });
        expect(await log.store.head()).toBe('start');
      });

      it('returns the batch with everything that the writer stamps', async () => {
        const first = one('a');
        const second = newEvent(ids, { type: 'SessionReset', data: { by: 'ana' } });

        const result = await append('turn-1', 'no-stream', first, second);

        const time = log.clock.now();
        const events = [
          {
            ...first,
            stream: 'turn-1',
            revision: 0,
            position: positionOf(1),
            time,
            meta: { ...first.meta, agentSeq: 1, epoch: 0 },
          },
          {
            ...second,
            stream: 'turn-1',
            revision: 1,
            position: positionOf(2),
            time,
            meta: { ...second.meta, agentSeq: null, epoch: 0 },
          },
        ];
        expect(result).toEqual({
          ok: true,
          revision: 1,
          position: positionOf(2),
          repeat: false,
          events,
        });
        expect(await log.store.readStream('turn-1')).toEqual(events);
        expect((await log.store.readAll({ after: 'start', limit: 10 })).events).toEqual(events);
        expect(await log.store.head()).toBe(positionOf(2));
      });
    });

    describe('given a stream at revision 1', () => {
      let first: NewEvent;
      let second: NewEvent;
      let written: AppendResult;
      beforeEach(async () => {
        [first, second] = [one('first'), one('second')];
        written = await append('turn-1', 'no-stream', first, second);
      });

      it.each([['no-stream'], [0], [2]] as const)(
        'refuses an append that expects %s',
        async (expected) => {
          expect(await append('turn-1', expected, one())).toEqual({
            ok: false,
            reason: 'conflict',
            expected,
            actual: 1,
          });
          expect(await log.store.head()).toBe(positionOf(2));
        },
      );

      it('appends at its revision', async () => {
        expect(await append('turn-1', 1, one())).toMatchObject({
          ok: true,
          revision: 2,
          position: positionOf(3),
          repeat: false,
        });
      });

      it.each([['no-stream'], [1], [7]] as const)(
        'answers a repeat with the first result, though it expects %s',
        async (expected) => {
          const repeat = await append('turn-1', expected, first, second);

          expect(repeat).toEqual({ ...written, repeat: true });
          expect(await log.store.head()).toBe(positionOf(2));
        },
      );

      it('refuses a batch of which a part is known', async () => {
        const conflict = { ok: false, reason: 'conflict', expected: 1, actual: 1 };
        expect(await append('turn-1', 1, second, one())).toEqual(conflict);
        expect(await append('turn-1', 1, one(), second)).toEqual(conflict);
        expect(await log.store.head()).toBe(positionOf(2));
      });

      it('refuses a known batch in another order', async () => {
        expect(await append('turn-1', 1, second, first)).toEqual({
          ok: false,
          reason: 'conflict',
          expected: 1,
          actual: 1,
        });
      });

      it('refuses a known batch for another stream', async () => {
        expect(await append('turn-2', 'no-stream', first, second)).toEqual({
          ok: false,
          reason: 'conflict',
          expected: 'no-stream',
          actual: 'no-stream',
        });
      });

      it('refuses a batch that holds one id twice, and writes nothing of it', async () => {
        const twin = one();
        expect(await append('turn-2', 'no-stream', one(), twin, twin)).toMatchObject({
          ok: false,
          reason: 'conflict',
        });
        expect(await log.store.readStream('turn-2')).toEqual([]);
        expect(await log.store.head()).toBe(positionOf(2));
      });

      it('reads a part of the stream', async () => {
        await append('turn-1', 1, one('third'), one('fourth'));

        const part = await log.store.readStream('turn-1', { from: 1, limit: 2 });

        expect(part.map((event) => event.revision)).toEqual([1, 2]);
      });
    });

    describe('given sizes at the limits', () => {
      it('takes an event of exactly the limit and refuses one byte more', async () => {
        const fits = sized(one, eventLimitBytes);
        const over = sized(one, eventLimitBytes + 1);

        expect(await append('turn-1', 'no-stream', over)).toEqual({
          ok: false,
          reason: 'too_large',
          bytes: eventLimitBytes + 1,
          limit: eventLimitBytes,
        });
        expect(await append('turn-1', 'no-stream', fits)).toMatchObject({ ok: true });
      });

      it('counts bytes, not characters', async () => {
        const text = 'é'.repeat(eventLimitBytes / 2);
        expect(await append('turn-1', 'no-stream', one(text))).toMatchObject({
          ok: false,
          reason: 'too_large',
        });
      });

      it('takes an append of exactly the limit and refuses one byte more', async () => {
        const third = appendLimitBytes / 3;
        const batch = [sized(one, third), sized(one, third), sized(one, third)];
        const last = sized(one, third - 64);
        const over = [sized(one, third), sized(one, third), last, sized(one, 1_000)];

        expect(await append('turn-1', 'no-stream', ...over)).toEqual({
          ok: false,
          reason: 'too_large',
          bytes: appendLimitBytes - 64 + 1_000,
          limit: appendLimitBytes,
        });
        expect(await append('turn-1', 'no-stream', ...batch)).toMatchObject({ ok: true });
      });
    });

    describe('given a clock that goes back', () => {
      it('stamps times that never go back', async () => {
        await append('turn-1', 'no-stream', one());
        const before = log.clock.now();
        log.clock.advance(-5_000);

        const result = await append('turn-1', 0, one());

        expect(result.ok && result.events[0]?.time).toBe(before);
      });
    });

    describe('given an agent that changes its owner', () => {
      it('stamps the raised epoch from that event on, for that agent alone', async () => {
        await append('turn-1', 'no-stream', one('a', 'ana'));
        await append(
          'agent-ana',
          'no-stream',
          newEvent(
            ids,
            { type: 'OwnershipTaken', data: { daemon: 'd2', epoch: 4 } },
            sampleMeta('ana'),
          ),
        );
        await append('turn-1', 0, one('b', 'ana'), one('c', 'bob'));

        const { events } = await log.store.readAll({ after: 'start', limit: 10 });

        expect(events.map(({ meta }) => [meta.agent, meta.epoch, meta.agentSeq])).toEqual([
          ['ana', 0, 1],
          ['ana', 4, 2],
          ['ana', 4, 3],
          ['bob', 0, 1],
        ]);
      });
    });

    describe('given events of several types, streams and agents', () => {
      const reset = (agent: string | null) =>
        newEvent(ids, { type: 'SessionReset', data: { by: 'x' } }, sampleMeta(agent));
      beforeEach(async () => {
        await append('turn-1', 'no-stream', one('1', 'ana'), one('2', 'ana'));
        await append('session-ana-1', 'no-stream', reset('ana'), reset('ana'));
        await append('turn-10', 'no-stream', one('5', 'bob'), one('6', 'bob'));
        await append('session-bob-1', 'no-stream', reset('bob'));
        await append('config', 'no-stream', reset(null));
      });

      const cases: readonly [string, EventFilter, readonly number[]][] = [
        ['no condition', {}, [1, 2, 3, 4, 5, 6, 7, 8]],
        ['one type', { types: ['SessionReset'] }, [3, 4, 7, 8]],
        ['two types', { types: ['SessionReset', 'TurnSteered'] }, [1, 2, 3, 4, 5, 6, 7, 8]],
        ['no type', { types: [] }, []],
        ['a type that is not there', { types: ['TurnFailed'] }, []],
        ['streams', { streams: ['turn-10', 'config'] }, [5, 6, 8]],
        ['a stream prefix', { streamPrefix: 'turn-1' }, [1, 2, 5, 6]],
        ['a prefix with a wildcard of SQL in it', { streamPrefix: 'turn_' }, []],
        ['an agent', { agent: 'ana' }, [1, 2, 3, 4]],
        ['agent and type', { agent: 'ana', types: ['SessionReset'] }, [3, 4]],
        ['prefix and type', { streamPrefix: 'session-', types: ['SessionReset'] }, [3, 4, 7]],
        ['streams and agent', { streams: ['turn-1', 'turn-10'], agent: 'bob' }, [5, 6]],
      ];
      it.each(cases)('reads what passes a filter of %s', async (_, filter, positions) => {
        const read = await log.store.readAll({ after: 'start', limit: 100, filter });

        expect(read.events.map(({ position }) => position)).toEqual(positions.map(positionOf));
        expect([read.next, read.end]).toEqual([positionOf(8), true]);
      });

      it.each(cases)('subscribes to what passes a filter of %s', async (_, filter, positions) => {
        const seen = await untilMark(log.store.subscribe({ after: 'start', filter }));

        expect(seen.map(({ position }) => position)).toEqual(positions.map(positionOf));
      });

      it.each(cases)('reads page by page what passes a filter of %s', async (_, filter, found) => {
        const seen: string[] = [];
        let after: string = 'start';
        for (let end = false; !end;) {
          const page = await log.store.readAll({ after, limit: 1, filter });
          seen.push(...page.events.map(({ position }) => position));
          ({ next: after, end } = page);
        }

        expect(seen).toEqual(found.map(positionOf));
      });

      it('goes on after a position', async () => {
        const read = await log.store.readAll({
          after: positionOf(3),
          limit: 2,
          filter: { types: ['SessionReset'] },
        });

        expect(read.events.map(({ position }) => position)).toEqual([positionOf(4), positionOf(7)]);
        expect([read.next, read.end]).toEqual([positionOf(7), false]);
      });
    });

    describe('given a subscription', () => {
      it('gives history, one mark, then what is appended', async () => {
        await append('turn-1', 'no-stream', one(), one());
        const live = log.store.subscribe({ after: positionOf(1) });

        const before = [await take(live), await take(live)];
        const next = take(live);
        await append('turn-1', 1, one());

        expect([...before, await next].map(brief)).toEqual([
          positionOf(2),
          `mark ${positionOf(2)}`,
          positionOf(3),
        ]);
        await live.return?.();
      });

      it('marks an empty history at its beginning', async () => {
        const live = log.store.subscribe({ after: 'start' });

        expect(await take(live)).toEqual({ kind: 'caught-up', position: 'start' });
        await live.return?.();
      });

      it('ends a waiting reader when it is given back', async () => {
        const live = log.store.subscribe({ after: 'start' });
        await take(live);
        const waiting = live.next();

        await live.return?.();

        expect(await waiting).toEqual({ done: true, value: undefined });
        expect(await live.next()).toEqual({ done: true, value: undefined });
      });

      it('ends when the store closes', async () => {
        const live = log.store.subscribe({ after: 'start' });
        await take(live);
        const waiting = live.next();

        await log.store.close();

        expect(await waiting).toEqual({ done: true, value: undefined });
      });

      it('has no gap and no duplicate between history and what is appended meanwhile', async () => {
        const total = 600;
        let revision: ExpectedRevision = 'no-stream';
        const write = async (count: number): Promise<void> => {
          for (let i = 0; i < count; i++) {
            const result = await append('turn-1', revision, one(String(i)));
            if (result.ok) revision = result.revision;
          }
        };
        await write(total / 2);
        const live = log.store.subscribe({ after: 'start' });
        const writing = write(total / 2);
        const seen: string[] = [];
        while (seen.length < total) {
          const message = await take(live);
          if (message.kind === 'event') seen.push(message.event.position);
        }
        await writing;

        expect(seen).toEqual(Array.from({ length: total }, (_, i) => positionOf(i + 1)));
        await live.return?.();
      });
    });

    describe('given 64 writers at once, with conflicts, repeats and refused appends', () => {
      it('keeps order, gapless numbers and acknowledgements', async () => {
        const acknowledged: LockstepEvent[] = [];
        const live = log.store.subscribe({ after: 'start' });
        await Promise.all(Array.from({ length: 64 }, (_, w) => writer(log.store, w, acknowledged)));

        const { events } = await log.store.readAll({ after: 'start', limit: 100_000 });

        expect(events.map(({ position }) => position)).toEqual(
          events.map((_, i) => events[i]?.position ?? '').sort(),
        );
        expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
        // In the order in which the writers heard of them: nothing smaller appears later.
        expect(acknowledged).toEqual(events);
        for (const stream of new Set(events.map((event) => event.stream))) {
          const mine = events.filter((event) => event.stream === stream);
          expect(mine.map(({ revision }) => revision)).toEqual(mine.map((_, i) => i));
        }
        for (const agent of new Set(events.map(({ meta }) => meta.agent))) {
          const mine = events.filter(({ meta }) => meta.agent === agent);
          expect(mine.map(({ meta }) => meta.agentSeq)).toEqual(mine.map((_, i) => i + 1));
        }
        expect(await untilMark(live)).toEqual(events);
      });

      const writer = async (
        store: EventStore,
        w: number,
        acknowledged: LockstepEvent[],
      ): Promise<void> => {
        const stream = `turn-${w % 16}`;
        let expected: ExpectedRevision = 'no-stream';
        for (let i = 0; i < 6;) {
          const batch = [one(`${w} ${i}`, `agent${w % 5}`), one(`${w} ${i}`, `agent${w % 3}`)];
          if (i % 3 === 2) await store.append(stream, nonEmpty([huge(), ...batch]), expected);
          const result = await store.append(stream, nonEmpty(batch), expected);
          if (!result.ok) {
            if (result.reason === 'conflict') expected = result.actual;
            continue;
          }
          expect(result.repeat).toBe(false);
          acknowledged.push(...result.events);
          const repeat = await store.append(stream, nonEmpty(batch), expected);
          expect(repeat).toEqual({ ...result, repeat: true });
          expected = result.revision;
          i += 1;
        }
      };
      const huge = (): NewEvent => one('x'.repeat(eventLimitBytes));
    });

    describe('given an append that is not acknowledged yet', () => {
      it('shows nothing of it to readers, and everything once it is', async () => {
        const appending = append('turn-1', 'no-stream', one());
        const early = await log.store.readAll({ after: 'start', limit: 10 });
        await appending;

        expect([early.events, early.end]).toEqual([[], true]);
        expect((await log.store.readAll({ after: 'start', limit: 10 })).events).toHaveLength(1);
      });

      it('has folded the ledger when it is acknowledged', async () => {
        const owner = { kind: 'local', id: 'local', person: null } as const;
        const place = { session: 'session-ana-1' };
        await append(
          'session-ana-1',
          'no-stream',
          newEvent(
            ids,
            { type: 'SessionOpened', data: { agent: 'ana', owner } },
            sampleMeta('ana', place),
          ),
        );

        expect(log.ledger.session('session-ana-1')).toEqual({
          id: 'session-ana-1',
          agent: 'ana',
          owner,
          closed: false,
          turns: [],
          revision: 0,
        });
      });
    });

    describe('given a closed store', () => {
      it('answers that it is closed', async () => {
        await log.store.close();

        expect(await append('turn-1', 'no-stream', one())).toEqual({
          ok: false,
          reason: 'unavailable',
          message: 'the event log is closed',
        });
      });
    });
  });
};

const nonEmpty = (events: readonly NewEvent[]): readonly [NewEvent, ...NewEvent[]] => {
  const [first, ...rest] = events;
  if (first === undefined) throw new TypeError('an append holds at least one event');
  return [first, ...rest];
};

/** An event whose JSON has exactly so many bytes. */
const sized = (one: (text: string) => NewEvent, bytes: number): NewEvent => {
  const empty = utf8Bytes(JSON.stringify(one('')));
  return one('x'.repeat(bytes - empty));
};

const take = async (live: Subscription): Promise<SubscriptionMessage> => {
  const { done, value } = await live.next();
  if (done === true) throw new Error('the subscription ended');
  return value;
};

const untilMark = async (live: Subscription): Promise<readonly LockstepEvent[]> => {
  const seen: LockstepEvent[] = [];
  for await (const message of live) {
    if (message.kind === 'caught-up') break;
    seen.push(message.event);
  }
  return seen;
};

const brief = (message: SubscriptionMessage): string =>
  message.kind === 'event' ? message.event.position : `mark ${message.position}`;
