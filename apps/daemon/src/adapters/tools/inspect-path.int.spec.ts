import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectForeignPath } from './inspect-path.ts';

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'lockstep-foreign-')));
  mkdirSync(join(root, 'private'));
  writeFileSync(join(root, 'private/x'), '');
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('a path that another program reads in its own way', () => {
  it.each([
    '~/x',
    'file:///etc/passwd',
    'C:x',
    ' /etc/passwd',
    'private/x ',
    '\tprivate/x',
    '"private/x"',
    "'private/x'",
    '`private/x`',
    'private\\x',
    '%2E%2e/x',
    'private%2Fx',
    'private%5cx',
    'private%252fx',
    'priv\u200bate/x',
    'private/x\n',
    'private/x\0',
  ])('has no real path that could be vouched for when it reads %j', async (given) => {
    expect((await inspectForeignPath(root, given, 'read')).real).toBeNull();
  });

  it.each([
    ['private/x', 'private/x'],
    ['./private//x', 'private/x'],
    ["it's 100% new.md", "it's 100% new.md"],
    ['a b/notes (2).md', 'a b/notes (2).md'],
    ['größe/日本.md', 'größe/日本.md'],
  ])('has one when it reads %j', async (given, real) => {
    expect((await inspectForeignPath(root, given, 'read')).real).toBe(join(root, real));
  });
});
