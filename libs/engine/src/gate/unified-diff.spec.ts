import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join('');

describe('given two texts', () => {
  it('shows a changed line with three lines around it', () => {
    const before = numbers(1, 9);
    expect(unifiedDiff(before, before.replace('5\n', 'five\n'))).toBe(
      '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8',
    );
  });

  it('shows a new text as added', () => {
    expect(unifiedDiff('', 'a\nb\n')).toBe('@@ -0,0 +1,2 @@\n+a\n+b');
  });

  it('shows an emptied text as removed', () => {
    expect(unifiedDiff('a\n', '')).toBe('@@ -1 +0,0 @@\n-a');
  });

  it('tells when the last line has no line feed', () => {
    expect(unifiedDiff('a\n', 'a')).toBe('@@ -1 +1 @@\n-a\n+a\n\\ no line feed at the end');
  });

  it('parts changes that are far from each other', () => {
    const before = numbers(1, 20);
    const after = before.replace('2\n', 'two\n').replace('19\n', 'nineteen\n');
    expect(unifiedDiff(before, after).match(/^@@.*@@$/gm)).toEqual([
      '@@ -1,5 +1,5 @@',
      '@@ -16,5 +16,5 @@',
    ]);
  });

  it('joins changes whose surroundings touch', () => {
    const before = numbers(1, 9);
    const after = before.replace('2\n', 'two\n').replace('8\n', 'eight\n');
    expect(unifiedDiff(before, after).match(/^@@.*@@$/gm)).toEqual(['@@ -1,9 +1,9 @@']);
  });

  it('says nothing about equal texts', () => {
    expect(unifiedDiff('a\n', 'a\n')).toBe('');
  });
});

/** Applies the lines of a diff of which every line is in one hunk. */
const sides = (diff: string): readonly [string, string] => {
  const lines = diff.split('\n').slice(1);
  const side = (skipped: string): string =>
    lines
      .filter((line) => !line.startsWith(skipped))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  return [side('+'), side('-')];
};

it('holds both texts whole when they are short', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 })
    .map((lines) => lines.map((l) => `${l}\n`).join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after);
      expect(sides(unifiedDiff(before, after))).toEqual([before, after]);
    }),
  );
});

it('shows a large rewritten region as removed and added whole', () => {
  const before = Array.from({ length: 1_200 }, (_, i) => `old ${i}\n`).join('');
  const after = Array.from({ length: 1_200 }, (_, i) => `new ${i}\n`).join('');
  const diff = unifiedDiff(before, after);
  expect(diff.startsWith('@@ -1,1200 +1,1200 @@\n-old 0\n-old 1\n')).toBe(true);
  expect(sides(diff)).toEqual([before, after]);
});
