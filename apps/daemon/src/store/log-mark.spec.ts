import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore } from '@lockstep/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { uuidV7Ids } from '../adapters/ids.ts';
import { createFactRecorder } from '../record-fact.ts';
import { judgeLog, writeMark, type Machine } from './log-mark.ts';
import { openSqliteLog } from './sqlite/sqlite-log.ts';

const clock = { now: () => 1_800_000_000_000 };
const container = (name: string, boot: string | null): Machine => ({
  machine: `host:${name}`,
  boot,
});

describe('given a log that a daemon in a container wrote', () => {
  let folder: string;
  let store: EventStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lockstep-mark-'));
    ({ store } = await openSqliteLog({ folder, clock }));
    const recorder = createFactRecorder({
      store,
      ids: uuidV7Ids(clock),
      clock,
      daemon: 'd1',
      build: 'b',
    });
    const data = { incarnation: 'd1', host: 'c0ffee', version: 'b', limits: [] };
    await recorder.record('daemon', [{ type: 'DaemonStarted', data }], { principal: null });
    writeMark(
      folder,
      { incarnations: ['d1'], position: await store.head() },
      container('c0ffee', 'boot-1'),
    );
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const whyIn = async (here: Machine): Promise<string | null> =>
    (await judgeLog(folder, store, here))?.why ?? null;

  it('is that of the container that takes its place under another name, and of itself after a start of the machine', async () => {
    expect(await whyIn(container('decaf', 'boot-1'))).toBeNull();
    expect(await whyIn(container('c0ffee', 'boot-2'))).toBeNull();
  });

  it('is foreign where neither name nor start is known', async () => {
    expect(await whyIn(container('decaf', 'boot-2'))).toBe('another machine wrote it');
    expect(await whyIn(container('decaf', null))).toBe('another machine wrote it');
  });

  it('is told by the name alone where the mark says nothing of a start', async () => {
    const path = join(folder, 'log.mark.json');
    const { boot, ...older } = JSON.parse(await readFile(path, 'utf8')) as { boot: string };
    expect(boot).toBe('boot-1');
    await writeFile(path, JSON.stringify(older));
    expect(await whyIn(container('c0ffee', 'boot-1'))).toBeNull();
    expect(await whyIn(container('decaf', null))).toBe('another machine wrote it');
    expect(await whyIn(container('decaf', 'boot-1'))).toBe('another machine wrote it');
  });
});
