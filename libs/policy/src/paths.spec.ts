import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { absolutePath, isWithin, normalPath, pathWithin } from './paths.ts';

const path = fc
  .array(fc.constantFrom('a', 'b', '..', '.', '', '...', '~'), { maxLength: 6 })
  .map((parts) => parts.join('/'));

describe('a path of config', () => {
  it.each([
    ['notes', '/cfg/notes'],
    ['./notes/../x', '/cfg/x'],
    ['../../../x', '/x'],
    ['/etc//ssl/', '/etc/ssl'],
    ['~', '/home/ana'],
    ['~/.ssh', '/home/ana/.ssh'],
    ['~other', '/cfg/~other'],
    ['.', '/cfg'],
  ])('%s is %s', (given, expected) => {
    expect(absolutePath('/cfg', '/home/ana', given)).toBe(expected);
  });

  it('is normal as the system normalises it, and stays normal', () => {
    fc.assert(
      fc.property(path, (given) => {
        const normal = normalPath(`/${given}`);
        expect(normal).toBe(posix.resolve('/', given.replace(/^\/+/, '')));
        expect(normalPath(normal)).toBe(normal);
      }),
    );
  });
});

describe('a path within another', () => {
  it.each([
    ['/a', '/a', true],
    ['/a', '/a/b', true],
    ['/a', '/ab', false],
    ['/a/', '/a/./b', true],
    ['/a', '/a/../b', false],
    ['/', '/b', true],
    ['/a/b', '/a', false],
  ])('%s holds %s: %s', (parent, child, expected) => {
    expect(isWithin(parent, child)).toBe(expected);
    expect(pathWithin(parent, child) !== null).toBe(expected);
  });

  it('has a relative path that leads back to it', () => {
    fc.assert(
      fc.property(path, path, (a, b) => {
        const parent = normalPath(`/${a}`);
        const child = normalPath(`${parent}/${b.replaceAll('..', 'c')}`);
        const relative = pathWithin(parent, child);
        expect(relative).not.toBeNull();
        expect(absolutePath(parent, '/', `./${relative ?? ''}`)).toBe(child);
      }),
    );
  });
});
