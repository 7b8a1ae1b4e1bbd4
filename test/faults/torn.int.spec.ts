import { copyFile, mkdir, mkdtemp, open, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkLog, logPath, openSqliteLog } from '@lockstep/daemon';
import { sequentialIds } from '@lockstep/engine/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventsIn } from '../support/log-folder.ts';
import { steered } from '../support/sample-events.ts';

const clock = { now: () => 1_767_225_600_000 };
let folder: string;
/** What the disk holds when the power goes. */
let image: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-torn-'));
  image = join(folder, 'image');
  await mkdir(image);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Appends of one event each; resolves with the ids in the order in which they were acknowledged. */
const recorded = async (appends: number): Promise<readonly string[]> => {
  const { store } = await openSqliteLog({ folder, clock });
  const ids = sequentialIds('6');
  const acknowledged: string[] = [];
  for (let n = 0; n < appends; n += 1) {
    const expected = n === 0 ? 'no-stream' : n - 1;
    const result = await store.append('turn-1', [steered(ids, 'ana', 'x'.repeat(500))], expected);
    if (result.ok) acknowledged.push(...result.events.map(({ id }) => id));
  }
  for (const end of ['', '-wal']) await copyFile(logPath(folder) + end, logPath(image) + end);
  await store.close();
  return acknowledged;
};
const idsIn = async (): Promise<readonly string[]> => (await eventsIn(image)).map(({ id }) => id);
const garble = async (path: string, at: number, bytes: number): Promise<void> => {
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(bytes, 0xab), 0, bytes, at);
  await file.close();
};

describe('given a disk as a power cut leaves it', () => {
  it('has every acknowledged event', async () => {
    const acknowledged = await recorded(50);
    expect(acknowledged.length).toBe(50);
    expect((await checkLog(logPath(image))).problems).toEqual([]);
    expect(await idsIn()).toEqual(acknowledged);
  });

  it('opens at a whole commit where the write-ahead log is torn in any of its last frames, and goes on', async () => {
    const acknowledged = await recorded(50);
    const wal = `${logPath(image)}-wal`;
    const { size } = await stat(wal);
    let cut = size;
    for (const bytes of [1, 100, 2_000, 4_000, 9_000]) {
      await truncate(wal, Math.min(cut, size - bytes));
      cut = size - bytes;
      // The file is copied anew: opening folds the write-ahead log into the database.
      const torn = join(folder, `torn-${bytes}`);
      await mkdir(torn);
      for (const end of ['', '-wal']) await copyFile(logPath(image) + end, logPath(torn) + end);
      expect((await checkLog(logPath(torn))).problems).toEqual([]);
      const left = (await eventsIn(torn)).map(({ id }) => id);
      expect(left).toEqual(acknowledged.slice(0, left.length));
      expect(left.length).toBeGreaterThan(40);
      expect(left.length).toBeLessThan(50);
      const { store } = await openSqliteLog({ folder: torn, clock });
      const more = [steered(sequentialIds('7'), 'ana', 'on')] as const;
      expect((await store.append('turn-1', more, left.length - 1)).ok).toBe(true);
      await store.close();
    }
  });

  it('opens at a whole commit where the last frame is garbled', async () => {
    const acknowledged = await recorded(50);
    const wal = `${logPath(image)}-wal`;
    const { size } = await stat(wal);
    await garble(wal, size - 300, 300);
    const left = await idsIn();
    expect(left).toEqual(acknowledged.slice(0, left.length));
    expect(left.length).toBeGreaterThan(40);
    expect(left.length).toBeLessThan(50);
  });
});

describe('given a page of the log that is garbled', () => {
  it('is found or refused, and never read as if it were whole', async () => {
    const acknowledged = await recorded(200);
    expect(await idsIn()).toEqual(acknowledged);
    const path = logPath(image);
    const pages = Math.floor((await stat(path)).size / 4_096);
    for (const page of [1, Math.floor(pages / 2), pages - 1]) {
      const torn = join(folder, `garbled-${page}`);
      await mkdir(torn);
      await copyFile(path, logPath(torn));
      await garble(logPath(torn), page * 4_096, 4_096);
      const found = await checkLog(logPath(torn)).then(
        ({ problems }) => problems.length,
        (error: unknown) => String(error),
      );
      expect(found, `page ${page}`).not.toBe(0);
    }
  });
});
