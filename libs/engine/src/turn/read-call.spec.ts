import { describe, expect, it } from 'vitest';
import { readArguments } from './read-call.ts';

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('the raw arguments of a call', () => {
  it.each([
    ['', {}],
    [' ', {}],
    ['{"b":1,"a":[2]}', { a: [2], b: 1 }],
    [nested(2), { a: { a: 1 } }],
  ])('are read from %j', (raw, value) => {
    expect(readArguments(raw).args).toEqual({ ok: true, value });
  });

  it.each([['{'], ['{"a":"\\ud800"}'], [nested(65)], [nested(100_000)], ['['.repeat(100_000)]])(
    'are refused where nothing can follow them: %#',
    (raw) => {
      expect(readArguments(raw)).toMatchObject({ args: { ok: false }, canonical: raw });
    },
  );

  it('may nest as deep as any tool asks', () => {
    expect(readArguments(nested(64)).args.ok).toBe(true);
  });
});
