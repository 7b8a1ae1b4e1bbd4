import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openReadModels, openSqliteLog, uuidV7Ids } from '@lockstep/daemon';
import type { EventStore, ExpectedRevision, Fact, NewEvent, Projection } from '@lockstep/engine';
import { sampleMeta } from '../support/sample-events.ts';

// Timings of the event store. Prints one JSON line per figure: {name, value, unit}.
const clock = { now: () => Date.now() };
const ids = uuidV7Ids(clock);
const root = mkdtempSync(join(tmpdir(), 'lockstep-bench-'));
const history = Number(process.argv[2] ?? 1_000_000);

const report = (name: string, value: number, unit: string): void => {
  process.stdout.write(`${JSON.stringify({ name, value: Number(value.toFixed(2)), unit })}\n`);
};
const percentile = (sorted: readonly number[], p: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0;
const reportLatencies = (name: string, latencies: readonly number[]): void => {
  const sorted = [...latencies].sort((a, b) => a - b);
  report(`${name} p50`, percentile(sorted, 0.5), 'ms');
  report(`${name} p99`, percentile(sorted, 0.99), 'ms');
};

const agents = ['ana', 'bob', 'cid'] as const;
const owner = { kind: 'local', id: 'local', person: null } as const;
const text = 'The quick brown fox jumps over the lazy dog. '.repeat(5);

/** A turn's worth of events: what the ledger folds, and about 25 that it does not. */
const turnEvents = (
  n: number,
): readonly { readonly stream: string; readonly event: NewEvent }[] => {
  const agent = agents[n % agents.length] ?? 'ana';
  const session = `session-${agent}-${n}`;
  const turn = ids.next();
  const make = (stream: string, fact: Fact) => ({
    stream,
    event: {
      ...fact,
      id: ids.next(),
      schema: 1,
      meta: sampleMeta(agent, {
        path: 'loop',
        trigger: 'run',
        principal: owner,
        session,
        turn,
        root: turn,
        correlation: turn,
      }),
    },
  });
  const steps = Array.from({ length: 26 }, (_, i) =>
    make(
      `turn-${turn}`,
      i % 2 === 0
        ? { type: 'TurnSteered', data: { text: { inline: text }, by: 'token:t1' } }
        : {
            type: 'ToolCallCompleted',
            data: {
              call: `c${i}`,
              attempt: 1,
              result: { inline: text },
              isError: false,
              chars: text.length,
              truncated: false,
              masked: 0,
              touched: [],
              durationMs: 3,
            },
          },
    ),
  );
  return [
    make(session, { type: 'SessionOpened', data: { agent, owner } }),
    make(session, {
      type: 'MessageAccepted',
      data: { message: turn, turn, text: { inline: text }, idempotency: null },
    }),
    make(`turn-${turn}`, {
      type: 'QuestionAsked',
      data: { question: turn, call: 'c', text: { inline: text }, choices: [], deadline: 'never' },
    }),
    ...steps,
    make(`turn-${turn}`, { type: 'TurnCancelled', data: { by: 'x', why: 'y', activeMs: 0 } }),
  ];
};

const must = async (
  store: EventStore,
  stream: string,
  events: readonly NewEvent[],
  expected: ExpectedRevision,
): Promise<number> => {
  const [first, ...rest] = events;
  if (first === undefined) throw new Error('nothing to append');
  const result = await store.append(stream, [first, ...rest], expected);
  if (!result.ok) throw new Error(`append refused: ${result.reason}`);
  return result.revision;
};

const few = (n: number): readonly NewEvent[] =>
  turnEvents(n)
    .slice(3, 4 + (n % 5))
    .map(({ event }) => event);

const closedLoop = async (writers: number, seconds: number): Promise<void> => {
  const folder = join(root, `closed-${writers}`);
  const { store } = await openSqliteLog({ folder, clock });
  const latencies: number[] = [];
  let events = 0;
  const end = performance.now() + seconds * 1_000;
  const batches = Array.from({ length: 512 }, (_, n) => few(n));
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async (_, w) => {
      let expected: ExpectedRevision = 'no-stream';
      for (let i = w; performance.now() < end; i++) {
        const batch = (batches[i % batches.length] ?? []).map((e) => ({ ...e, id: ids.next() }));
        const from = performance.now();
        expected = await must(store, `turn-w${w}`, batch, expected);
        latencies.push(performance.now() - from);
        events += batch.length;
      }
    }),
  );
  const took = (performance.now() - begin) / 1_000;
  report(`append, ${writers} writers, rate`, latencies.length / took, 'appends/s');
  report(`append, ${writers} writers, events`, events / took, 'events/s');
  reportLatencies(`append, ${writers} writers`, latencies);
  await store.close();
};

/** Latency from the moment an append was due, whatever the store was doing then. */
const openLoop = async (perSecond: number, seconds: number): Promise<void> => {
  const { store } = await openSqliteLog({ folder: join(root, `open-${perSecond}`), clock });
  const latencies: number[] = [];
  const pending: Promise<void>[] = [];
  const batches = Array.from({ length: 512 }, (_, n) => few(n));
  const total = perSecond * seconds;
  const begin = performance.now();
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - begin) / 1_000) * perSecond));
    for (; sent < due; sent++) {
      const dueAt = begin + (sent / perSecond) * 1_000;
      const batch = (batches[sent % batches.length] ?? []).map((e) => ({ ...e, id: ids.next() }));
      pending.push(
        must(store, `turn-o${sent}`, batch, 'no-stream').then(() => {
          latencies.push(performance.now() - dueAt);
        }),
      );
    }
    await pause(1);
  }
  await Promise.all(pending);
  reportLatencies(`append at ${perSecond}/s`, latencies);
  await store.close();
};

const fill = async (folder: string): Promise<void> => {
  const { store } = await openSqliteLog({ folder, clock });
  const turns = Math.ceil(history / 30);
  const begin = performance.now();
  const writer = async (w: number): Promise<void> => {
    for (let n = w; n < turns; n += 64) {
      const events = turnEvents(n);
      const streams = [...new Set(events.map(({ stream }) => stream))];
      for (const stream of streams) {
        const mine = events.filter((e) => e.stream === stream).map(({ event }) => event);
        await must(store, stream, mine, 'no-stream');
      }
    }
  };
  await Promise.all(Array.from({ length: 64 }, (_, w) => writer(w)));
  report('fill, whole turns', history / ((performance.now() - begin) / 1_000), 'events/s');
  await store.close();
};

const counter: Projection<unknown> = {
  name: 'counter',
  version: 1,
  types: 'all',
  initial: () => 0,
  fold: (state) => Number(state) + 1,
  freeze: (state) => state,
  thaw: (json) => json,
};

const longHistory = async (): Promise<void> => {
  const folder = join(root, 'long');
  await fill(folder);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const begin = performance.now();
  const { store } = await openSqliteLog({ folder, clock });
  report(`open with ${history} events`, performance.now() - begin, 'ms');
  globalThis.gc?.();
  report(`memory of it`, (process.memoryUsage().rss - before) / 1_048_576, 'MB');

  const reading = performance.now();
  let read = 0;
  let after = 'start';
  for (let end = false; !end;) {
    const page = await store.readAll({ after, limit: 512 });
    read += page.events.length;
    ({ next: after, end } = page);
  }
  report('readAll', read / ((performance.now() - reading) / 1_000), 'events/s');

  const folding = performance.now();
  const models = openReadModels({ folder, store, projections: [counter], keyed: [] });
  await models.caughtUp();
  report(
    'rebuild a trivial projection',
    read / ((performance.now() - folding) / 1_000),
    'events/s',
  );
  await models.close();
  await store.close();
};

try {
  await closedLoop(1, 3);
  await closedLoop(64, 5);
  await openLoop(10_000, 5);
  await longHistory();
} finally {
  rmSync(root, { recursive: true, force: true });
}
