import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { digestOfText } from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import {
  found,
  keeper,
  memoryWorld,
  newRow,
  scopeOf,
  storeRow,
  type MemoryWorld,
} from './memory.fixture.ts';

const scope = scopeOf({ backend: 'markdown' });
const fileOf = (w: MemoryWorld, name: string, agent = 'ada'): string =>
  join(w.folder, 'memory', agent, `${name}.md`);
const kept = (w: MemoryWorld, change: Partial<Parameters<typeof newRow>[0]> = {}) =>
  storeRow(
    w,
    newRow({ row: 'tea', text: 'tea at four', backend: 'markdown', person: 'ana', ...change }),
  );
const typesOf = (w: MemoryWorld): string[] => w.events().map(({ type }) => type);

describe('the folder of the markdown backend', () => {
  it('holds a file for each row, for its owner alone, and none for a forgotten one', async () => {
    const w = await memoryWorld();
    await kept(w);
    await kept(w, { row: 'tagged', text: '---\nlike a head', tags: ['a, b'] });
    expect(readFileSync(fileOf(w, 'tea'), 'utf8')).toBe('tea at four');
    expect(readFileSync(fileOf(w, 'tagged'), 'utf8')).toBe(
      '---\ntags: ["a, b"]\n---\n---\nlike a head',
    );
    expect(statSync(fileOf(w, 'tea')).mode & 0o777).toBe(0o600);
    await w.memory.forget({ row: 'tea', agent: 'ada', why: 'asked', by: 't' }, { principal: null });
    expect(existsSync(fileOf(w, 'tea'))).toBe(false);
    expect(await found(w, scope, null)).toEqual(['tagged']);
  });

  it('has an edit recorded before it is used, found by content whatever the times say', async () => {
    const w = await memoryWorld();
    await kept(w, { expires: 1_900_000_000_000 });
    await found(w, scope, null);
    const { atime, mtime } = statSync(fileOf(w, 'tea'));
    writeFileSync(fileOf(w, 'tea'), 'tea at five');
    utimesSync(fileOf(w, 'tea'), atime, mtime);
    expect(await found(w, scope, 'five')).toEqual(['tea']);
    expect(await found(w, scope, 'four')).toEqual([]);
    expect(w.events().at(-1)).toMatchObject({
      type: 'MemoryImported',
      stream: 'memory-ada',
      data: {
        row: 'tea',
        agent: 'ada',
        person: 'ana',
        text: { inline: 'tea at five' },
        tags: [],
        backend: 'markdown',
        found: digestOfText('tea at five'),
        expected: digestOfText('tea at four'),
        expires: 1_900_000_000_000,
      },
    });
    expect(typesOf(w)).toEqual(['MemoryStored', 'MemoryImported']);
  });

  it('forgets a row whose file was removed', async () => {
    const w = await memoryWorld();
    await kept(w);
    rmSync(fileOf(w, 'tea'));
    expect(await w.memory.find({ keeper, scope }, 'tea')).toBe(null);
    expect(w.events().at(-1)?.data).toEqual({
      row: 'tea',
      agent: 'ada',
      why: 'removed_outside',
      by: 'file',
    });
  });

  it('takes a new file in as a row of nobody, under the name of the row', async () => {
    const w = await memoryWorld();
    mkdirSync(join(w.folder, 'memory', 'ada'), { recursive: true });
    writeFileSync(fileOf(w, 'about milk'), 'milk is in the fridge');
    const [id = ''] = await found(w, scope, 'fridge');
    expect(existsSync(fileOf(w, 'about milk'))).toBe(false);
    expect(readFileSync(fileOf(w, id), 'utf8')).toBe('milk is in the fridge');
    const data = w.events().at(-1)?.data;
    expect(data).toMatchObject({
      person: null,
      expected: null,
      expires: w.clock.now() + 30 * 24 * 60 * 60 * 1000,
    });
    expect(await found(w, scope, null)).toEqual([id]);
    expect(typesOf(w)).toEqual(['MemoryImported']);
  });

  it('masks secrets that are brought in, in the row and in the file', async () => {
    const w = await memoryWorld({ secrets: { KEY: 'hunter2' } });
    await kept(w);
    writeFileSync(fileOf(w, 'tea'), 'the key is hunter2');
    expect(await found(w, scope, 'key')).toEqual(['tea']);
    expect(readFileSync(fileOf(w, 'tea'), 'utf8')).toBe('the key is «secret:KEY»');
    expect(JSON.stringify(w.events())).not.toContain('hunter2');
    await found(w, scope, null);
    expect(typesOf(w)).toEqual(['MemoryStored', 'MemoryImported']);
  });

  it('takes new files of another agent in only when that agent looks', async () => {
    const w = await memoryWorld();
    mkdirSync(join(w.folder, 'memory', 'bob'), { recursive: true });
    writeFileSync(fileOf(w, 'new', 'bob'), 'tea');
    const both = scopeOf({ backend: 'markdown', agents: ['ada', 'bob'] });
    expect(await found(w, both, 'tea')).toEqual([]);
    const rows = await w.memory.recall({
      keeper: { ...keeper, agent: 'bob' },
      scope: scopeOf({ backend: 'markdown', agents: ['bob'] }),
      text: 'tea',
      limit: 5,
    });
    expect(rows.map(({ agent }) => agent)).toEqual(['bob']);
    expect((await found(w, both, 'tea')).length).toBe(1);
  });

  it('leaves alone what can be no row, and says so', async () => {
    const w = await memoryWorld();
    await kept(w);
    const folder = join(w.folder, 'memory', 'ada');
    writeFileSync(join(folder, 'large.md'), 'x'.repeat(33 * 1024));
    writeFileSync(join(folder, 'bytes.md'), Buffer.from([0xff, 0xfe]));
    symlinkSync('/etc/hostname', join(folder, 'link.md'));
    mkdirSync(join(folder, 'folder.md'));
    writeFileSync(join(folder, 'other.txt'), 'x');
    expect(await found(w, scope, null)).toEqual(['tea']);
    expect(typesOf(w)).toEqual(['MemoryStored']);
    expect(w.problems.length).toBe(4);
  });

  it('keeps an edit that was made while the daemon was down and its rows were lost', async () => {
    const first = await memoryWorld();
    await kept(first);
    await first.memory.close();
    rmSync(join(first.folder, 'memory.db'));
    writeFileSync(fileOf(first, 'tea'), 'tea at six');
    const next = await memoryWorld({ folder: first.folder, log: first.events() });
    expect(await found(next, scope, 'six')).toEqual(['tea']);
    expect(typesOf(next)).toEqual(['MemoryStored', 'MemoryImported']);
  });
});
