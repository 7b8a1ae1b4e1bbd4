import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkLog, logPath, openSqliteLog, StoreError } from '@lockstep/daemon';
import { positionOf, type NewEvent } from '@lockstep/engine';
import { fixedClock, sequentialIds } from '@lockstep/engine/testing';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { steered } from '../support/sample-events.ts';

let folder: string;
const clock = fixedClock();
const ids = sequentialIds('5');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-log-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const open = () => openSqliteLog({ folder, clock });
const one = (text = 'x', agent = 'ana'): NewEvent => steered(ids, agent, text);
const refusal = async (): Promise<unknown> => {
  try {
    const { store } = await open();
    await store.close();
    return null;
  } catch (error) {
    return error;
  }
};
const rewrite = (sql: string): void => {
  const db = new Database(logPath(folder));
  db.exec('DROP TRIGGER events_no_update; DROP TRIGGER events_no_delete');
  db.exec(sql);
  db.close();
};
const someEvents = async (): Promise<void> => {
  const { store } = await open();
  await store.append('turn-1', [one('a'), one('b', 'bob')], 'no-stream');
  await store.append('turn-2', [one('c'), one('d', 'bob')], 'no-stream');
  await store.close();
};

describe('given a log that was closed and opened again', () => {
  it('goes on with positions, agent numbers and the same generation', async () => {
    const first = await open();
    await first.store.append('turn-1', [one(), one()], 'no-stream');
    const { generation } = first.store;
    await first.store.close();

    const { store } = await open();
    const result = await store.append('turn-1', [one()], 1);

    expect(store.generation).toBe(generation);
    expect(result).toMatchObject({ ok: true, position: positionOf(3), revision: 2 });
    expect(result.ok && result.events[0]?.meta.agentSeq).toBe(3);
    await store.close();
  });

  it('answers a repeat of a batch from before', async () => {
    const first = await open();
    const batch = [one(), one()] as const;
    const written = await first.store.append('turn-1', batch, 'no-stream');
    await first.store.close();

    const { store } = await open();

    expect(await store.append('turn-1', batch, 'no-stream')).toEqual({ ...written, repeat: true });
    await store.close();
  });
});

describe('given a process that is killed in mid load', () => {
  it('holds every acknowledged event, whole batches only, and passes the check', async () => {
    const child = fork(
      fileURLToPath(new URL('../support/append-until-killed.ts', import.meta.url)),
      [folder],
      {
        // Decorators in the daemon's sources need its own options.
        env: {
          ...process.env,
          TSX_TSCONFIG_PATH: fileURLToPath(
            new URL('../../apps/daemon/tsconfig.json', import.meta.url),
          ),
        },
        execArgv: ['--conditions=lockstep-source', '--import', 'tsx'],
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      },
    );
    let told = '';
    child.stdout?.on('data', (text: Buffer) => {
      told += text.toString();
      if (told.split('\n').length > 2_000) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const acknowledged = told.split('\n').slice(0, -1);

    const { store } = await open();
    const { events } = await store.readAll({ after: 'start', limit: 1_000_000 });
    await store.close();

    expect(child.signalCode).toBe('SIGKILL');
    expect(acknowledged.length).toBeGreaterThanOrEqual(2_000);
    const present = new Set(events.map(({ id }) => id));
    expect(acknowledged.filter((id) => !present.has(id))).toEqual([]);
    expect(events.length % 3).toBe(0);
    expect(await checkLog(logPath(folder))).toEqual({
      events: events.length,
      imported: null,
      problems: [],
      more: 0,
    });
  });
});

describe('given a data folder that is in use', () => {
  it('refuses a second opener and says who holds it', async () => {
    const { store } = await open();

    const error = await refusal();

    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({
      code: 'store_in_use',
      message: expect.stringContaining(`in use by process ${process.pid} on`),
    });
    await store.close();
    expect(await refusal()).toBeNull();
  });
});

describe('given a file that is not for this build', () => {
  it('refuses a log of a newer schema', async () => {
    await someEvents();
    rewrite('PRAGMA user_version = 99');

    expect(await refusal()).toMatchObject({ code: 'store_newer' });
  });

  it('refuses a database of another program', async () => {
    const db = new Database(logPath(folder));
    db.exec('CREATE TABLE other (a)');
    db.close();

    expect(await refusal()).toMatchObject({ code: 'store_not_a_log' });
  });

  it('refuses a file that is no database', async () => {
    writeFileSync(
      logPath(folder),
      'not a database at all, only a text of some length. '.repeat(40),
    );

    expect(await refusal()).toMatchObject({ code: 'store_not_a_log' });
  });

  it('refuses a log that was cut short', async () => {
    await someEvents();
    truncateSync(logPath(folder), readFileSync(logPath(folder)).length - 4096);

    expect(await refusal()).toMatchObject({ code: 'store_damaged' });
  });

  it('leaves the folder free after a refusal', async () => {
    await someEvents();
    rewrite('PRAGMA user_version = 99');
    await refusal();
    rewrite2('PRAGMA user_version = 1');

    expect(await refusal()).toBeNull();
  });
  const rewrite2 = (sql: string): void => {
    const db = new Database(logPath(folder));
    db.exec(sql);
    db.close();
  };
});

describe('given rows that were changed behind the store', () => {
  it('refuses to change or delete through the database itself', async () => {
    await someEvents();
    const db = new Database(logPath(folder));

    expect(() => db.exec("UPDATE events SET data = '{}'")).toThrow('append-only');
    expect(() => db.exec('DELETE FROM events')).toThrow('append-only');
    db.close();
  });

  it('reads no event that misses its schema', async () => {
    await someEvents();
    rewrite(`UPDATE events SET data = '{"text":1}' WHERE position = 3`);
    const { store } = await open();

    await expect(store.readAll({ after: 'start', limit: 10 })).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining('position 3'),
    });
    await store.close();
  });

  it.each([
    [`UPDATE events SET data = '{"text":1}' WHERE position = 3`, 3, 'misses its schema'],
    ['UPDATE events SET revision = 5 WHERE position = 2', 2, 'revision 5 stands where 1 is due'],
    ['UPDATE events SET agent_seq = 9 WHERE position = 3', 3, 'stands where 2 is due'],
    ['UPDATE events SET time = 5 WHERE position = 4', 4, 'time 5 is before'],
    [`UPDATE events SET stream = 'config' WHERE position = 1`, 1, 'does not belong'],
    ['DELETE FROM events WHERE position = 1', 2, 'revision 1 stands where 0 is due'],
  ])('finds out in the check that %s', async (sql, position, message) => {
    await someEvents();
    expect((await checkLog(logPath(folder))).problems).toEqual([]);

    rewrite(sql);

    expect((await checkLog(logPath(folder))).problems).toContainEqual({
      position: positionOf(position),
      stream: expect.any(String),
      message: expect.stringContaining(message),
    });
  });
});
