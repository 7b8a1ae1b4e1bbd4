import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteLog, uuidV7Ids } from '@lockstep/daemon';
import type { EventStore, ExpectedRevision, NewEvent } from '@lockstep/engine';
import { sampleMeta } from '../support/sample-events.ts';
import { percentile, quick, report } from './figures.ts';

// Appends of one to five events of the usual size, each durable (one fsync a group) before it is answered.
const clock = { now: () => Date.now() };
const ids = uuidV7Ids(clock);
const root = mkdtempSync(join(tmpdir(), 'lockstep-bench-append-'));
const seconds = quick ? 2 : 6;
const text = 'The quick brown fox jumps over the lazy dog. '.repeat(5);
const meta = sampleMeta('ana', {
  path: 'loop',
  trigger: 'run',
  principal: { kind: 'local', id: 'local', person: null },
  session: 'session-ana-1',
  turn: ids.next(),
});

const batch = (n: number): readonly [NewEvent, ...NewEvent[]] => {
  const event = (): NewEvent => ({
    id: ids.next(),
    schema: 1,
    meta,
    type: 'TurnSteered',
    data: { text: { inline: text }, by: 'token:t1' },
  });
  return [event(), ...Array.from({ length: n % 5 }, event)];
};

const append = async (
  store: EventStore,
  stream: string,
  expected: ExpectedRevision,
  n: number,
): Promise<number> => {
  const result = await store.append(stream, batch(n), expected);
  if (!result.ok) throw new Error(`append refused: ${result.reason}`);
  return result.revision;
};

/** Every writer appends again as soon as its last append was acknowledged. */
const closedLoop = async (writers: number): Promise<void> => {
  const { store } = await openSqliteLog({ folder: join(root, `closed-${writers}`), clock });
  const latencies: number[] = [];
  const begin = performance.now();
  const warm = begin + 500;
  const end = warm + seconds * 1_000;
  const write = async (w: number): Promise<void> => {
    let expected: ExpectedRevision = 'no-stream';
    for (let n = w; performance.now() < end; n++) {
      const from = performance.now();
      expected = await append(store, `turn-w${w}`, expected, n);
      if (from > warm) latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, w) => write(w)));
  const what = `${writers} writer${writers === 1 ? '' : 's'}, closed loop`;
  report(`${what}, rate`, latencies.length / seconds, 'appends/s');
  report(`${what}, p50`, percentile(latencies, 0.5), 'ms');
  report(`${what}, p99`, percentile(latencies, 0.99), 'ms');
  await store.close();
};

/** Appends that are due at even times, whatever the store does then; latency counts from when an append was due. */
const openLoop = async (perSecond: number): Promise<void> => {
  const { store } = await openSqliteLog({ folder: join(root, `open-${perSecond}`), clock });
  const latencies: number[] = [];
  const pending: Promise<void>[] = [];
  const total = perSecond * seconds;
  const begin = performance.now();
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - begin) / 1_000) * perSecond));
    for (; sent < due; sent++) {
      const dueAt = begin + (sent / perSecond) * 1_000;
      const done = append(store, `turn-o${sent}`, 'no-stream', sent).then(() => {
        latencies.push(performance.now() - dueAt);
      });
      pending.push(done);
    }
    await pause(1);
  }
  await Promise.all(pending);
  const kept = total / ((performance.now() - begin) / 1_000);
  const what = `open loop at ${perSecond} a second`;
  report(`${what}, rate reached`, kept, 'appends/s', { atLeast: perSecond * 0.99 });
  report(`${what}, p50`, percentile(latencies, 0.5), 'ms');
  report(`${what}, p99`, percentile(latencies, 0.99), 'ms', { atMost: 5 });
  await store.close();
};

try {
  await closedLoop(1);
  await closedLoop(64);
  await openLoop(1_000);
  await openLoop(10_000);
} finally {
  rmSync(root, { recursive: true, force: true });
}
