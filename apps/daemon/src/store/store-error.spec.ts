import { describe, expect, it } from 'vitest';
import { StoreError, storeError } from './store-error.ts';

const told = (code: string): unknown =>
  storeError(Object.assign(new Error('x'), { code }), '/data/log.db');

describe('given what SQLite or the system throws', () => {
  it.each([
    ['SQLITE_NOTADB', 'store_not_a_log'],
    ['SQLITE_CORRUPT_VTAB', 'store_damaged'],
    ['SQLITE_READONLY_DBMOVED', 'store_read_only'],
    ['SQLITE_CANTOPEN', 'store_read_only'],
    ['SQLITE_FULL', 'store_disk_full'],
    ['SQLITE_IOERR', 'store_unavailable'],
    ['EACCES', 'store_read_only'],
    ['EROFS', 'store_read_only'],
    ['EEXIST', 'store_read_only'],
    ['ENOTDIR', 'store_read_only'],
    ['EISDIR', 'store_not_a_log'],
    ['ENOSPC', 'store_disk_full'],
  ] as const)('says of %s that it is %s, where, and ends a command with 4', (code, expected) => {
    const error = told(code);
    if (!(error instanceof StoreError)) throw new TypeError('no StoreError');
    expect([error.code, error.exitCode, error.cause instanceof Error]).toEqual([expected, 4, true]);
    expect(error.message).toContain('`/data/log.db`');
  });

  it('says of a file in place of a folder that it is no folder', () => {
    expect(told('ENOTDIR')).toMatchObject({ message: expect.stringContaining('is not a folder') });
  });

  it('passes on what it does not know', () => {
    const unknown = new Error('x');
    expect(storeError(unknown, 'p')).toBe(unknown);
    expect(told('EWHATEVER')).toMatchObject({ code: 'EWHATEVER' });
  });
});
