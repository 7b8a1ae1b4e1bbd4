import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  matchesBelow,
  matchesClauses,
  matchesPattern,
  matchingPattern,
  normalizeToolPattern,
} from './patterns.ts';

/** The definition, by trying every way to spend a star: slow and plainly right. */
const fits = (pattern: string, id: string): boolean => {
  if (pattern === '') return id === '';
  if (pattern.startsWith('*'))
    return fits(pattern.slice(1), id) || (id !== '' && fits(pattern, id.slice(1)));
  return id !== '' && id.startsWith(pattern.slice(0, 1)) && fits(pattern.slice(1), id.slice(1));
};

const letters = (alphabet: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...alphabet), { maxLength }).map((parts) => parts.join(''));

describe('a tool pattern', () => {
  it.each([
    ['file_*', 'builtin:file_*'],
    ['*', '*'],
    ['*_read', 'builtin:*_read'],
    ['mcp:files/*', 'mcp:files/*'],
    ['builtin:file_read', 'builtin:file_read'],
  ])('reads %s as %s', (written, canonical) => {
    expect(normalizeToolPattern(written)).toBe(canonical);
  });

  it.each([
    ['builtin:file_*', 'builtin:file_read', true],
    ['builtin:file_*', 'builtin:file_', true],
    ['builtin:file_*', 'mcp:builtin:file_read', false],
    ['mcp:files/*', 'mcp:files/a/b', true],
    ['mcp:files/*', 'mcp:files2/a', false],
    ['mcp:*/read', 'mcp:a/read', true],
    ['a*a', 'a', false],
    ['*a*b*', 'xbxa', false],
    ['builtin:.ile_read', 'builtin:file_read', false],
    ['builtin:FILE_READ', 'builtin:file_read', false],
  ])('%s against %s is %s', (pattern, id, expected) => {
    expect(matchesPattern(pattern, id)).toBe(expected);
  });

  it('fits what its definition says, for every small pattern and id', () => {
    fc.assert(
      fc.property(letters(['a', 'b', '*'], 7), letters(['a', 'b', '*'], 9), (pattern, id) => {
        expect(matchesPattern(pattern, id)).toBe(fits(pattern, id));
      }),
      { numRuns: 3000 },
    );
  });

  it('answers at once for a pattern made to backtrack', () => {
    const started = performance.now();
    const pattern = 'a*'.repeat(20_000) + 'b';
    expect(matchesPattern(pattern, 'a'.repeat(60_000))).toBe(false);
    expect(matchesPattern('*a'.repeat(20_000) + 'b*', 'a'.repeat(60_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

describe('clauses', () => {
  it('need a fitting pattern in every clause, and name the longest', () => {
    const clauses = [['*'], ['builtin:*', 'builtin:file_*']];
    expect(matchesClauses(clauses, 'builtin:file_read')).toEqual({
      ok: true,
      pattern: 'builtin:file_*',
    });
    expect(matchesClauses(clauses, 'mcp:a/b')).toEqual({ ok: false, pattern: null });
  });

  it('grant nothing when a clause is empty or there is none', () => {
    expect(matchesClauses([[]], 'a')).toEqual({ ok: false, pattern: null });
    expect(matchesClauses([['*'], []], 'a')).toEqual({ ok: false, pattern: null });
    expect(matchesClauses([], 'a')).toEqual({ ok: false, pattern: null });
  });

  it('are narrower with every clause that is added', () => {
    const patterns = fc.array(letters(['a', 'b', '*'], 4), { maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(patterns, { minLength: 1, maxLength: 3 }),
        patterns,
        letters(['a', 'b'], 5),
        (clauses, more, id) => {
          const before = matchesClauses(clauses, id).ok;
          expect(matchesClauses([...clauses, more], id).ok).toBe(
            before && matchingPattern(more, id) !== null,
          );
        },
      ),
    );
  });
});

describe('a pattern below every root', () => {
  it.each([
    ['**/.env', '.env', true],
    ['**/.env', 'a/b/.env', true],
    ['**/.env', '.env/inside', true],
    ['**/.env', 'x.env', false],
    ['**/.env.*', 'a/.env.local', true],
    ['**/.env.*', 'a/.env', false],
    ['**/secret/*.pem', 'a/secret/k.pem', true],
    ['**/secret/*.pem', 'a/secret/deep/k.pem', false],
    ['**/.env', '', false],
    ['**/*', '', false],
  ])('%s against %s is %s', (pattern, relative, expected) => {
    expect(matchesBelow(pattern, relative)).toBe(expected);
  });
});
