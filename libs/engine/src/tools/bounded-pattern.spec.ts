import { describe, expect, it } from 'vitest';
import { boundedPattern } from './bounded-pattern.ts';
import { checkArguments } from './check-arguments.ts';
import { builtinSpecs } from './builtin-specs.ts';

const test = (pattern: string, text: string): boolean => boundedPattern(pattern, 'u').test(text);

describe('a pattern of a foreign schema', () => {
  it.each([
    ['^[a-z]+$', 'abc', true],
    ['^[a-z]+$', 'ab1', false],
    ['^\\d{4}-\\d{2}$', '2026-11', true],
    ['^\\d{4}-\\d{2}$', '2026-1', false],
    ['^([0-9a-f]{2}:){5}[0-9a-f]{2}$', '00:11:22:33:44:55', true],
    ['^([0-9a-f]{2}:){5}[0-9a-f]{2}$', '00:11:22:33:44', false],
    ['^(get|put)$', 'post', false],
    ['b', 'aba', true],
    ['^[\\]+*]?x\\*$', ']x', false],
  ])('is asked where it cannot take long: %s of %s', (pattern, text, fits) => {
    expect(test(pattern, text)).toBe(fits);
  });

  it.each([
    '^(a+)+$',
    '^(a|a)*$',
    '^(?:a?){2,}$',
    '^(?<x>a*)*$',
    '^((a{1,9})b?){1,40}$',
    '^(a*)\\1*$',
    '(?=(a+)+b)',
    '^a*a*a*a*a*a*a*b$',
    '(x+x+)+y',
    '^([a-z]|[a-m]){1,99}$',
  ])('never takes long: %s', (pattern) => {
    const since = performance.now();
    test(pattern, `${'a'.repeat(5_000)}!`);
    test(pattern, `${'x'.repeat(5_000)}!`);
    expect(performance.now() - since).toBeLessThan(2_000);
  });

  it('holds no check of arguments up, and lets no broken one pass for a schema', () => {
    const [builtin] = builtinSpecs;
    if (builtin === undefined) throw new Error('there are built-in tools');
    const spec = (pattern: string) => ({
      ...builtin,
      id: 'mcp:odd/tool',
      digest: `of ${pattern}`,
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'string', pattern }, b: { type: 'string', pattern: '^b$' } },
        patternProperties: { '^(x+)+$': { type: 'string' } },
      },
    });
    expect(checkArguments(spec('^(a+)+$'), { a: `${'a'.repeat(40)}!` })).toEqual({ ok: true });
    expect(checkArguments(spec('^(a+)+$'), { b: 'c' })).toMatchObject({ kind: 'mismatch' });
    expect(checkArguments(spec('('), { a: 'x' })).toMatchObject({ kind: 'unusable' });
  });
});
