import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LogUnavailableError } from '../../record-fact.ts';
import { sweepLimit } from './memory-service.ts';
import {
  found,
  keeper,
  memoryWorld,
  newFolder,
  newRow,
  scopeOf,
  storeRow,
  type MemoryWorld,
} from './memory.fixture.ts';

const everything = async (w: MemoryWorld) => {
  const rows = [];
  for (const backend of ['sqlite', 'markdown'] as const)
    rows.push(
      ...(await w.memory.recall({
        keeper,
        scope: scopeOf({ backend, agents: ['ada', 'bob'] }),
        text: null,
        limit: 'unlimited',
      })),
    );
  return rows;
};

const asked = (row: string) => ({ row, agent: 'ada', why: 'asked', by: 't1/c2' }) as const;
const nobody = { principal: null, agent: 'ada' };

const filled = async (w: MemoryWorld): Promise<void> => {
  await storeRow(w, newRow({ row: 'tea', text: 'tea at four', tags: ['drink'] }));
  await storeRow(w, newRow({ row: 'cats', text: 'two cats', person: 'ana' }));
  await storeRow(w, newRow({ row: 'note', text: 'a note', backend: 'markdown', agent: 'bob' }));
  await storeRow(w, newRow({ row: 'long', text: 'x'.repeat(40_000) }));
  await w.memory.forget(asked('cats'), nobody);
};

describe('the rows of memory', () => {
  it('can be read right after they are stored, and not after they are forgotten', async () => {
    const w = await memoryWorld();
    await storeRow(w, newRow({ row: 'tea', text: 'tea at four', tags: ['drink'] }));
    expect(await found(w, scopeOf(), 'four')).toEqual(['tea']);
    expect(await found(w, scopeOf(), 'drink')).toEqual(['tea']);
    expect(await w.memory.forget(asked('tea'), nobody)).toBe(true);
    expect(await found(w, scopeOf(), null)).toEqual([]);
    expect(await w.memory.forget(asked('tea'), nobody)).toBe(false);
    expect(w.events().map(({ type, stream }) => [type, stream])).toEqual([
      ['MemoryStored', 'memory-ada'],
      ['MemoryForgotten', 'memory-ada'],
    ]);
  });

  it('are stored once for one call', async () => {
    const w = await memoryWorld();
    const row = newRow({ row: 'tea', text: 'tea' });
    await Promise.all([storeRow(w, row), storeRow(w, row)]);
    expect(w.events().length).toBe(1);
  });

  it('are the same when they are built anew from the log', async () => {
    const live = await memoryWorld();
    await filled(live);
    const rows = await everything(live);
    expect(rows.map(({ id }) => id).sort()).toEqual(['long', 'note', 'tea']);
    const anew = await memoryWorld({ log: live.events(), clock: live.clock });
    expect(await everything(anew)).toEqual(rows);
    await live.memory.close();
    rmSync(join(live.folder, 'memory.db'));
    const again = await memoryWorld({ log: live.events(), clock: live.clock, folder: live.folder });
    expect(await everything(again)).toEqual(rows);
    expect(again.events()).toEqual(live.events());
  });

  it('hold what was recorded when the daemon died before it was folded', async () => {
    const first = await memoryWorld();
    await storeRow(first, newRow({ row: 'tea', text: 'tea' }));
    await first.memory.close();
    const elsewhere = await memoryWorld({ log: first.events(), clock: first.clock });
    await storeRow(elsewhere, newRow({ row: 'cats', text: 'cats' }));
    await storeRow(elsewhere, newRow({ row: 'note', text: 'note', backend: 'markdown' }));
    const { folder, clock } = first;
    const next = await memoryWorld({ log: elsewhere.events(), folder, clock });
    expect((await everything(next)).map(({ id }) => id).sort()).toEqual(['cats', 'note', 'tea']);
    expect(next.events()).toEqual(elsewhere.events());
  });

  it('of another log are thrown away', async () => {
    const first = await memoryWorld();
    await storeRow(first, newRow({ row: 'tea', text: 'tea' }));
    await first.memory.close();
    const db = await import('../../store/read-models/read-model-file.ts');
    const opened = db.openReadModelFile(join(first.folder, 'memory.db'));
    opened.prepare("UPDATE checkpoints SET generation = 'other'").run();
    opened.close();
    const next = await memoryWorld({ folder: first.folder });
    expect(await everything(next)).toEqual([]);
  });

  it('are not changed by what the log does not take', async () => {
    const w = await memoryWorld();
    w.log.stopAfter(0);
    await expect(storeRow(w, newRow({ row: 'tea', text: 'tea' }))).rejects.toThrow(
      LogUnavailableError,
    );
    expect(await found(w, scopeOf(), 'tea')).toEqual([]);
    w.log.stopAfter(Infinity);
    await storeRow(w, newRow({ row: 'tea', text: 'tea' }));
    expect(await found(w, scopeOf(), 'tea')).toEqual(['tea']);
  });

  it('give long texts by digest once one event would hold too much', async () => {
    const w = await memoryWorld();
    for (let n = 0; n < 4; n += 1)
      await storeRow(w, newRow({ row: `row${n}`, text: `tea ${'x'.repeat(20_000)}` }));
    const rows = await w.memory.recall({ keeper, scope: scopeOf(), text: 'tea', limit: 4 });
    expect(rows.map(({ text }) => Object.keys(text)[0]).sort()).toEqual([
      'artifact',
      'artifact',
      'inline',
      'inline',
    ]);
    for (const { text } of rows)
      if ('artifact' in text) expect(await w.log.artifacts.get(text.artifact)).toContain('tea x');
  });
});

describe('rows past their time', () => {
  it('are not recalled from that time on, and are forgotten by the next sweep', async () => {
    const w = await memoryWorld({ folder: newFolder() });
    const expires = w.clock.now() + 1000;
    await storeRow(w, newRow({ row: 'short', text: 'tea', expires }));
    await storeRow(w, newRow({ row: 'ever', text: 'tea' }));
    w.clock.advance(999);
    expect(await found(w, scopeOf(), 'tea')).toEqual(['ever', 'short']);
    w.clock.advance(1);
    expect(await found(w, scopeOf(), 'tea')).toEqual(['ever']);
    expect(await found(w, scopeOf(), null)).toEqual(['ever']);
    expect(await w.memory.find({ keeper, scope: scopeOf() }, 'short')).toBe(null);
    expect(await w.memory.sweep()).toBe(1);
    expect(w.events().at(-1)).toMatchObject({
      type: 'MemoryForgotten',
      data: { row: 'short', agent: 'ada', why: 'expired', by: 'retention' },
    });
    expect(await w.memory.sweep()).toBe(0);
  });

  it('are forgotten a bounded number at once', async () => {
    const w = await memoryWorld();
    const expires = w.clock.now();
    for (let n = 0; n <= sweepLimit; n += 1)
      await storeRow(w, newRow({ row: `row${n}`, text: 'tea', expires }));
    expect(await w.memory.sweep()).toBe(sweepLimit);
    expect(await w.memory.sweep()).toBe(1);
  });
});
