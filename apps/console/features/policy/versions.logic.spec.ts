import { describe, expect, it } from 'vitest';
import { broughtBy, comparedVersions, configDiff, configLines } from './versions.logic.ts';

const row = (version: number) => ({
  version,
  digest: `d${version}`,
  time: 0,
  by: 'file',
  widens: [],
});
const rows = [row(3), row(2), row(1)];

describe('given the versions of a config', () => {
  it.each([
    [null, null, { from: 2, to: 3 }],
    ['1', null, { from: 1, to: 3 }],
    [null, '2', { from: 1, to: 2 }],
    [null, '1', { from: 0, to: 1 }],
    ['9', 'x', { from: 2, to: 3 }],
    ['3', '1', { from: 3, to: 1 }],
  ])('compares from %s to %s', (from, to, compared) => {
    expect(comparedVersions(rows, from, to)).toEqual(compared);
  });

  it('compares nothing where there is none', () => {
    expect(comparedVersions([], null, null)).toBe(null);
  });

  it('says who brought one', () => {
    expect([broughtBy('start'), broughtBy('file'), broughtBy('ana')]).toEqual([
      'the start of the daemon',
      'an edit of the file',
      'ana',
    ]);
  });
});

describe('given two configs', () => {
  it('writes one value a line, in the order of the keys', () => {
    expect(configLines({ b: { 'x.y': [1, 'z'], c: null }, a: [{ n: true }], e: {} })).toEqual([
      'a[0].n = true',
      'b.c = null',
      'b."x.y" = [1,"z"]',
      'e = {}',
    ]);
  });

  it('names what changed alone, and nothing where they are the same', () => {
    const before = { a: { mode: 'ask' }, b: 1 };
    expect(configDiff(before, { b: 1, a: { mode: 'ask' } })).toEqual([]);
    expect(configDiff(before, { a: { mode: 'allow' }, b: 1 })).toEqual([
      { kind: 'hunk', text: '@@ -1,2 +1,2 @@' },
      { kind: 'del', text: '-a.mode = "ask"' },
      { kind: 'add', text: '+a.mode = "allow"' },
      { kind: 'same', text: ' b = 1' },
    ]);
  });

  it('shows all of a first one as added', () => {
    expect(configDiff(null, { a: 1 }).map(({ text }) => text)).toEqual(['@@ -0,0 +1 @@', '+a = 1']);
  });
});
