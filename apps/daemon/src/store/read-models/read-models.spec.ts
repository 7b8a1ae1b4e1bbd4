import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyedProjection, NewEvent, Projection } from '@lockstep/engine';
import { fixedClock, memoryStore, sequentialIds, type MemoryStore } from '@lockstep/engine/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openReadModels, readModelsPath, type ReadModels } from './read-models.ts';

interface TurnRow {
  readonly turn: string;
  readonly texts: readonly string[];
}

let folder: string;
let memory: MemoryStore;
let models: ReadModels;
const ids = sequentialIds('7');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-models-'));
  memory = memoryStore({ clock: fixedClock(), daemon: 'd1' });
});
afterEach(async () => {
  await models.close();
  rmSync(folder, { recursive: true, force: true });
});

let folded: string[] = [];
beforeEach(() => {
  folded = [];
});
const counter = (version = 1): Projection<{ count: number }> => ({
  name: 'counter',
  version,
  types: 'all',
  initial: () => ({ count: 0 }),
  fold: (state, event) => {
    folded.push(event.id);
    return { count: state.count + 1 };
  },
  freeze: (state) => state,
  thaw: (json) => json as { count: number },
});
const turns = (version = 1): KeyedProjection<TurnRow> => ({
  name: 'turns',
  version,
  types: ['TurnSteered', 'TurnCancelled'],
  keyOf: (event) => event.stream,
  fold: (row, event) => {
    if (event.type === 'TurnCancelled') return null;
    const text = event.type === 'TurnSteered' ? event.data.by : '';
    return { turn: event.stream, texts: [...(row?.texts ?? []), text] };
  },
  columns: (row) => ({ size: row.texts.length, last: row.texts.at(-1) ?? null }),
});
const failing: Projection<null> = {
  name: 'failing',
  version: 1,
  types: 'all',
  initial: () => null,
  fold: () => {
    throw new Error('no such thing');
  },
  freeze: () => null,
  thaw: () => null,
};

const event = (fact: Pick<NewEvent, 'type' | 'data'> & object): NewEvent =>
  ({
    ...fact,
    id: ids.next(),
    schema: 1,
    meta: {
      agent: 'ana',
      path: null,
      trigger: null,
      principal: null,
      session: null,
      turn: null,
      root: null,
      parent: null,
      chain: [],
      correlation: 'c',
      causation: null,
      attempt: 1,
      daemon: 'd1',
      build: 'b',
    },
  }) as NewEvent;
const steered = (by: string): NewEvent =>
  event({ type: 'TurnSteered', data: { text: { inline: '' }, by } });
const cancelled = (): NewEvent =>
  event({ type: 'TurnCancelled', data: { by: '', why: '', activeMs: 0 } });
const append = async (stream: string, ...events: readonly NewEvent[]): Promise<string> => {
  const present = (await memory.store.readStream(stream)).length;
  const [first, ...rest] = events;
  if (first === undefined) throw new Error('nothing to append');
  const expected = present === 0 ? 'no-stream' : present - 1;
  const result = await memory.store.append(stream, [first, ...rest], expected);
  if (!result.ok) throw new Error(result.reason);
  return result.position;
};
const open = (version = 1): ReadModels => {
  models = openReadModels({
    folder,
    store: memory.store,
    projections: [counter(version), failing] as readonly Projection<unknown>[],
    keyed: [turns(version)] as readonly KeyedProjection<unknown>[],
  });
  return models;
};
const page = (limit: number, cursor: string | null = null) =>
  models.rows(turns(), { orderBy: 'size', direction: 'descending', limit, cursor });

describe('given a log with a history', () => {
  beforeEach(async () => {
    await append('turn-1', steered('a'), steered('b'));
    await append('turn-2', steered('c'));
    await append('turn-3', steered('d'), steered('e'), steered('f'));
  });

  it('folds it all, each row by its key', async () => {
    await open().caughtUp();

    expect(models.state(counter())).toEqual({ count: 6 });
    expect(models.row(turns(), 'turn-1')).toEqual({ turn: 'turn-1', texts: ['a', 'b'] });
    expect(models.row(turns(), 'turn-9')).toBeNull();
  });

  it('follows what is appended', async () => {
    await open().caughtUp();

    const position = await append('turn-2', steered('g'));

    expect(await models.waitFor(position, 30_000)).toBe(true);
    expect(models.state(counter())).toEqual({ count: 7 });
    expect(models.row(turns(), 'turn-2')).toEqual({ turn: 'turn-2', texts: ['c', 'g'] });
  });

  it('deletes a row that a projection gives up', async () => {
    await open().caughtUp();

    await models.waitFor(await append('turn-2', cancelled()), 30_000);

    expect(models.row(turns(), 'turn-2')).toBeNull();
  });

  it('lists rows by a column, page by page', async () => {
    await open().caughtUp();

    const first = page(2);
    const second = page(2, first.next);

    expect(first.rows.map(({ turn }) => turn)).toEqual(['turn-3', 'turn-1']);
    expect(second).toEqual({ rows: [{ turn: 'turn-2', texts: ['c'] }], next: null });
  });

  it('lists rows whose columns have one of the wanted values', async () => {
    await open().caughtUp();
    const list = (where: Record<string, string | number | readonly (string | number)[]>) =>
      models
        .rows(turns(), { where, orderBy: 'last', direction: 'ascending', limit: 9, cursor: null })
        .rows.map(({ turn }) => turn);

    expect(list({ size: [1, 2] })).toEqual(['turn-1', 'turn-2']);
    expect(list({ size: 3, last: 'f' })).toEqual(['turn-3']);
    expect(list({ size: 3, last: 'x' })).toEqual([]);
  });

  it('refuses a column and a cursor that it does not know', async () => {
    await open().caughtUp();

    expect(() => page(2, 'nonsense')).toThrow('is no cursor of this list');
    expect(() =>
      models.rows(turns(), { orderBy: 'x"', direction: 'ascending', limit: 1, cursor: null }),
    ).toThrow('is no column');
  });

  it('goes on from its checkpoint after a restart', async () => {
    await open().caughtUp();
    await models.close();
    folded = [];
    await append('turn-4', steered('h'));

    await open().caughtUp();

    expect(folded).toHaveLength(1);
    expect(models.state(counter())).toEqual({ count: 7 });
    expect(models.row(turns(), 'turn-4')?.texts).toEqual(['h']);
  });

  it('builds anew what has another version', async () => {
    await open().caughtUp();
    await models.close();
    folded = [];

    await open(2).caughtUp();

    expect(folded).toHaveLength(6);
    expect(models.state(counter(2))).toEqual({ count: 6 });
    expect(models.row(turns(2), 'turn-1')?.texts).toEqual(['a', 'b']);
  });

  it('builds everything anew from a file that is no database', async () => {
    writeFileSync(readModelsPath(folder), 'no database, only some words. '.repeat(100));

    await open().caughtUp();

    expect(models.state(counter())).toEqual({ count: 6 });
  });

  it('marks a projection that fails, and keeps the others going', async () => {
    await open().caughtUp();

    expect(await models.status()).toEqual([
      { name: 'counter', state: 'live', position: '00000000000000000006', lag: 0, failure: null },
      {
        name: 'failing',
        state: 'failed',
        position: 'start',
        lag: 6,
        failure: {
          position: '00000000000000000001',
          message: 'cannot fold `TurnSteered` of `turn-1`: no such thing',
        },
      },
      { name: 'turns', state: 'live', position: '00000000000000000006', lag: 0, failure: null },
    ]);
  });

  it('tells how far it has come', async () => {
    const seen: { position: number; head: number }[] = [];
    models = openReadModels({
      folder,
      store: memory.store,
      projections: [counter()] as readonly Projection<unknown>[],
      keyed: [],
      onProgress: (progress) => seen.push(progress),
    });
    await models.caughtUp();

    expect(seen).toEqual([{ position: 6, head: 6 }]);
  });
});

describe('given an empty log', () => {
  it('has no rows and waits in vain for what does not come', async () => {
    await open().caughtUp();

    expect(page(5)).toEqual({ rows: [], next: null });
    expect(await models.waitFor('00000000000000000001', 10)).toBe(false);
  });
});
