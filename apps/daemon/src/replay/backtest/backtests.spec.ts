import { describe, expect, it } from 'vitest';
import { fixedClock, sequentialIds } from '@lockstep/engine/testing';
import { backtestReport, emptyTally } from '@lockstep/engine';
import { Backtests, type BacktestState, type BacktestWork } from './backtests.ts';

const report = backtestReport(emptyTally(), { version: 1, digest: 'd' });

/** Work that ends when it is told to, or when it is stopped. */
const held = () => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work: BacktestWork = async ({ onProgress, signal }) => {
    onProgress({ done: 1, all: 3 });
    signal.addEventListener('abort', end);
    await ended;
    return signal.aborted ? { kind: 'cancelled' } : { kind: 'done', report };
  };
  return { work, end };
};

const fresh = (bounds?: ConstructorParameters<typeof Backtests>[1]): Backtests =>
  new Backtests({ ids: sequentialIds('b'), clock: fixedClock() }, bounds);

const idOf = (started: ReturnType<Backtests['start']>): string => {
  if (started.kind !== 'started') throw new Error(started.why);
  return started.id;
};

const stay = new AbortController().signal;

const lastOf = async (all: Backtests, owner: string, id: string): Promise<BacktestState | null> => {
  let last: BacktestState | null = null;
  for await (const now of all.follow(owner, id, stay)) last = now;
  return last;
};

describe('given a backtest that runs', () => {
  it('is followed over its progress to its end', async () => {
    const all = fresh();
    const { work, end } = held();
    const id = idOf(all.start('ana', work));
    const seen: unknown[] = [];
    for await (const { state, progress } of all.follow('ana', id, stay)) {
      seen.push([state, progress]);
      end();
    }
    expect(seen).toEqual([
      ['running', { done: 1, all: 3 }],
      ['done', { done: 1, all: 3 }],
    ]);
    expect(all.find('ana', id)?.report).toEqual(report);
  });

  it('is stopped by who started it, and seen by nobody else', async () => {
    const all = fresh();
    const id = idOf(all.start('ana', held().work));
    expect([all.find('bo', id), all.cancel('bo', id)]).toEqual([null, null]);
    expect(all.cancel('ana', id)?.state).toBe('cancelled');
    expect((await lastOf(all, 'ana', id))?.state).toBe('cancelled');
    expect(all.cancel('ana', id)?.state).toBe('cancelled');
  });

  it('keeps its owner from a second one, and all from more than the bound', async () => {
    const all = fresh({ running: 2, kept: 20 });
    const id = idOf(all.start('ana', held().work));
    expect(all.start('ana', held().work)).toEqual({
      kind: 'busy',
      why: `your backtest \`${id}\` still runs: wait for it or cancel it`,
    });
    idOf(all.start('bo', held().work));
    expect(all.start('cy', held().work)).toEqual({
      kind: 'busy',
      why: 'other backtests run now: try again when they have ended',
    });
    await all.close();
    expect(all.start('cy', held().work).kind).toBe('busy');
    expect(all.find('ana', id)?.state).toBe('cancelled');
  });
});

describe('given backtests that have ended', () => {
  it('keeps the newest of them', async () => {
    const all = fresh({ running: 2, kept: 2 });
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const { work, end } = held();
      end();
      const id = idOf(all.start('ana', work));
      ids.push(id);
      await lastOf(all, 'ana', id);
    }
    expect(ids.map((id) => all.find('ana', id)?.state ?? null)).toEqual([
      null,
      null,
      'done',
      'done',
    ]);
  });

  it('says why one failed', async () => {
    const all = fresh();
    const id = idOf(all.start('ana', () => Promise.reject(new Error('the disk is gone'))));
    expect(await lastOf(all, 'ana', id)).toMatchObject({
      state: 'failed',
      error: 'the disk is gone',
      report: null,
    });
  });
});
