import { createRequire } from 'node:module';
import { logPath } from '@lockstep/daemon';
import type Sqlite from 'better-sqlite3';
import { durableWorld } from './turn-world.ts';

// The driver of the daemon, which is the only package that depends on it.
const require = createRequire(new URL('../../apps/daemon/package.json', import.meta.url));
const Database = require('better-sqlite3') as typeof Sqlite;

const turnsOfBlock = 200;

interface Row {
  readonly position: number;
  readonly id: string;
  readonly stream: string;
  readonly agent: string | null;
  readonly data: string;
  readonly meta: string;
}

/** Fills a folder with a log of whole turns: a block of turns runs for real, and its rows are copied under fresh ids until there are
 * enough events. Everything else (order, sizes, gapless numbers) is as the daemon wrote it. */
export const fillLog = async (folder: string, events: number): Promise<void> => {
  const world = await durableWorld(folder, { shape: 'steps', readModels: false });
  for (let n = 0; n < turnsOfBlock; n++) await world.turn();
  await world.close();
  const db = new Database(logPath(folder));
  try {
    copyBlock(db, events);
  } finally {
    db.close();
  }
};

const copyBlock = (db: Sqlite.Database, events: number): void => {
  db.pragma('synchronous = OFF');
  const rows = db.prepare('SELECT * FROM events ORDER BY position').all() as Row[];
  const block = rows.filter(({ stream }) => /^(turn|session)-/.test(stream));
  const insert = db.prepare(
    'INSERT INTO events SELECT ?, ?, ?, revision, type, schema, time, agent, ?, epoch, ?, ? FROM events WHERE position = ?',
  );
  const seqs = new Map<string, number>();
  const newest = db.prepare('SELECT max(agent_seq) FROM events WHERE agent = ?').pluck();
  let position = rows.at(-1)?.position ?? 0;
  for (let copy = 1; position < events; copy++) {
    const fresh = (text: string): string => freshIds(text, copy);
    db.transaction(() => {
      for (const row of block) {
        const { agent } = row;
        const seq = agent === null ? null : (seqs.get(agent) ?? Number(newest.get(agent))) + 1;
        if (agent !== null && seq !== null) seqs.set(agent, seq);
        const texts = [fresh(row.data), fresh(row.meta), row.position];
        insert.run(++position, fresh(row.id), fresh(row.stream), seq, ...texts);
      }
    })();
  }
  db.pragma('wal_checkpoint(TRUNCATE)');
};

/** Moves the time in every UUIDv7 of a text on by copies of the block. */
const freshIds = (text: string, copy: number): string =>
  text.replaceAll(/\b([0-9a-f]{8})(?=-[0-9a-f]{4}-7[0-9a-f]{3}-)/g, (high) =>
    (parseInt(high, 16) + copy * 16).toString(16).padStart(8, '0'),
  );
