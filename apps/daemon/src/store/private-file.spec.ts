import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixedClock } from '@lockstep/engine/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openReadModelFile } from './read-models/read-model-file.ts';
import { openSqliteLog } from './sqlite/sqlite-log.ts';

let folder: string;
let umask: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-private-'));
  umask = process.umask(0);
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true, force: true });
});

const modes = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name !== 'daemon.lock')
      .sort()
      .map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );

describe('the files of the log and of the read models', () => {
  it('may be read by their owner alone, however loose the umask is', async () => {
    // Given a process whose files everybody may write
    // When the log and the read models are made
    const { store } = await openSqliteLog({ folder, clock: fixedClock() });
    const reads = openReadModelFile(join(folder, 'read-models.db'));
    const found = modes();
    reads.close();
    await store.close();
    // Then nobody else may open them, nor what stands beside them
    expect(found).toEqual({
      'log.db': '600',
      'log.db-shm': '600',
      'log.db-wal': '600',
      'read-models.db': '600',
      'read-models.db-shm': '600',
      'read-models.db-wal': '600',
    });
  });

  it('are closed when an earlier start left them open to all', () => {
    // Given a file with loose rights
    const path = join(folder, 'read-models.db');
    writeFileSync(path, '');
    chmodSync(path, 0o666);
    // When it is opened
    openReadModelFile(path).close();
    // Then they are gone
    expect(modes()).toEqual({ 'read-models.db': '600' });
  });
});
