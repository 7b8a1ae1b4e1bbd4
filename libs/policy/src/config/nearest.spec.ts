import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { didYouMean, editDistance, nearestName } from './nearest.ts';

describe('the nearest valid name', () => {
  it.each([
    ['provder', ['prices', 'provider'], 'provider'],
    ['Supervised', ['supervised'], 'supervised'],
    ['fiel_read', ['file_list', 'file_read'], 'file_read'],
    ['abc', ['abd', 'abe'], 'abd'],
    ['x', ['y'], null],
    ['ab', ['ac'], null],
    ['entirely', ['other', 'names'], null],
    ['x'.repeat(65), ['x'.repeat(64)], null],
    ['a', [], null],
  ])('of %s is %s', (written, valid, expected) => {
    expect(nearestName(written, valid)).toBe(expected);
  });

  it('becomes the tail of a message, or nothing', () => {
    expect(didYouMean('provder', ['provider'])).toBe(', did you mean `provider`?');
    expect(didYouMean('zzz', ['provider'])).toBe('');
  });
});

describe('the edit distance', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 }).map((p) => p.join(''));

  it('is zero for equal texts alone, the same both ways, and one for a single edit', () => {
    fc.assert(
      fc.property(text, text, fc.nat(6), (a, b, at) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, `${a.slice(0, at)}x${a.slice(at)}`)).toBe(1);
      }),
    );
  });

  it('counts a swap of neighbours once', () => {
    expect(editDistance('abcd', 'acbd')).toBe(1);
    expect(editDistance('kitten', 'sitting')).toBe(3);
  });
});
