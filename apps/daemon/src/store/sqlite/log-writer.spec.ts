import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLogForWriting, readInfo } from './log-schema.ts';
import { LogWriter } from './log-writer.ts';
import type { WireAppend } from './wire.ts';

let folder: string;
let db: Database.Database;
let writer: LogWriter;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-writer-'));
  db = openLogForWriting(join(folder, 'log.db'));
  writer = new LogWriter(db);
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

const append = (
  stream: string,
  expected: number,
  ids: readonly string[],
  size = 10,
): WireAppend => ({
  stream,
  expected,
  now: 5,
  events: ids.map((id) => ({
    id,
    type: 'TurnSteered',
    schema: 1,
    agent: 'ana',
    raisesTo: 0,
    data: JSON.stringify('x'.repeat(size)),
    meta: '{}',
  })),
});
const stamp = (position: number, revision: number) => ({
  position,
  revision,
  time: 5,
  agentSeq: position,
  epoch: 0,
});
const fill = (): void => {
  db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true }))}`);
};

describe('given a group of appends', () => {
  it('keeps what is good of it and uses up nothing for what is not', () => {
    const results = writer.commit([
      append('turn-1', -1, ['a', 'b']),
      append('turn-1', -1, ['c']),
      append('turn-2', -1, ['d', 'a']),
      append('turn-1', 1, ['e']),
    ]);

    expect(results).toEqual([
      { kind: 'written', stamps: [stamp(1, 0), stamp(2, 1)] },
      { kind: 'conflict', actual: 1 },
      { kind: 'conflict', actual: -1 },
      { kind: 'written', stamps: [stamp(3, 2)] },
    ]);
    expect(db.prepare('SELECT id FROM events ORDER BY position').pluck().all()).toEqual([
      'a',
      'b',
      'e',
    ]);
  });

  it('finds a repeat within the same group', () => {
    expect(
      writer.commit([append('turn-1', -1, ['a', 'b']), append('turn-1', -1, ['a', 'b'])]),
    ).toEqual([
      { kind: 'written', stamps: [stamp(1, 0), stamp(2, 1)] },
      { kind: 'repeat', firstRevision: 0 },
    ]);
  });
});

describe('given a disk that is full', () => {
  it('writes nothing of a group, and goes on without a gap once there is room', () => {
    writer.commit([append('turn-1', -1, ['a'])]);
    fill();

    const full = writer.commit([append('turn-2', -1, ['b']), append('turn-3', -1, ['c'], 200_000)]);
    db.pragma('max_page_count = 1000000');
    const after = writer.commit([append('turn-2', -1, ['b'])]);

    expect(full).toEqual([
      { kind: 'unavailable', code: 'SQLITE_FULL' },
      { kind: 'unavailable', code: 'SQLITE_FULL' },
    ]);
    expect(after).toEqual([{ kind: 'written', stamps: [stamp(2, 0)] }]);
    expect(db.prepare('SELECT count(*) FROM events').pluck().get()).toBe(2);
  });

  it('says that a checkpoint was not written, and keeps the one before', () => {
    const row = (json: string) => ({ table: 'sessions', key: 's', json });
    writer.checkpoint({ position: 1, version: 1, full: false, rows: [row('1')] });
    fill();

    const rows = [row(JSON.stringify('x'.repeat(200_000)))];

    expect(writer.checkpoint({ position: 2, version: 1, full: false, rows })).toBe(false);
    expect(readInfo(db, 'ledger_position')).toBe('1');
    expect(db.prepare('SELECT json FROM ledger').pluck().all()).toEqual(['1']);
  });
});

describe('given a log that is read-only', () => {
  it('answers that it cannot be written, and writes again when it can', () => {
    db.pragma('query_only = true');

    expect(writer.commit([append('turn-1', -1, ['a'])])).toEqual([
      { kind: 'unavailable', code: 'SQLITE_READONLY' },
    ]);

    db.pragma('query_only = false');
    expect(writer.commit([append('turn-1', -1, ['a'])])).toEqual([
      { kind: 'written', stamps: [stamp(1, 0)] },
    ]);
  });
});

describe('given a checkpoint', () => {
  it('holds the last change of each row, and all of them after a full one', () => {
    const row = (key: string, json: string | null) => ({ table: 'sessions', key, json });
    const read = () => db.prepare('SELECT key, json FROM ledger ORDER BY rowid').raw().all();

    writer.checkpoint({
      position: 1,
      version: 1,
      full: false,
      rows: [row('a', '1'), row('b', '1')],
    });
    writer.checkpoint({
      position: 2,
      version: 1,
      full: false,
      rows: [row('a', '2'), row('b', null)],
    });
    expect(read()).toEqual([['a', '2']]);

    writer.checkpoint({ position: 3, version: 1, full: true, rows: [row('c', '3')] });
    expect(read()).toEqual([['c', '3']]);
    expect(readInfo(db, 'ledger_position')).toBe('3');
  });
});
