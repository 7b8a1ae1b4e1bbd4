import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digestOf, digestOfText } from './canonical.ts';

/** What comes out, or that it is refused. */
const outcome = (write: () => string | undefined): string | null => {
  try {
    return write() ?? null;
  } catch {
    return null;
  }
};

describe('canonical JSON', () => {
  it('is what the library of the standard writes, for anything at all', () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('\ud83d'));
    const anything = fc.anything({
      key: texts,
      values: [texts, fc.double(), fc.integer(), fc.boolean(), fc.constant(null)],
      withBigInt: true,
      withDate: true,
      withNullPrototype: true,
    });
    fc.assert(
      fc.property(fc.oneof(anything, fc.jsonValue()), (value) => {
        expect(outcome(() => canonicalJson(value))).toBe(outcome(() => canonicalize(value)));
      }),
    );
  });

  it('sorts names by their code units and writes numbers in the shortest form', () => {
    // From RFC 8785, sections 3.2.2 and 3.2.3.
    expect(
      canonicalJson({
        numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0],
        string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
        literals: [null, true, false],
        '\u20ac': 'Euro Sign',
        '\r': 'Carriage Return',
        '\ufb33': 'Hebrew Letter Dalet With Dagesh',
        '1': 'One',
        '\ud83d\ude00': 'Emoji: Grinning Face',
      }),
    ).toBe(
      '{"\\r":"Carriage Return","1":"One","literals":[null,true,false],' +
        '"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/","€":"Euro Sign","😀":"Emoji: Grinning Face",' +
        '"\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    );
  });

  it('refuses a lone surrogate in a value and in a name, a cycle, an infinity and what is no value', () => {
    const cycle: { list: unknown[] } = { list: [] };
    cycle.list.push({ again: cycle });
    for (const value of ['\ud83d', { '\udc00': 1 }, cycle, [Number.NaN], -Infinity, 10n, undefined])
      expect(() => canonicalJson(value)).toThrow();
  });

  it('goes down as far as a value goes', () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 500; level += 1) deep = [{ deep }];
    expect(canonicalJson(deep)).toBe(`${'[{"deep":'.repeat(500)}"end"${'}]'.repeat(500)}`);
  });
});

describe('a digest', () => {
  it('is the SHA-256 of the UTF-8 text', () => {
    expect(digestOfText('')).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    expect(digestOfText('€😀')).toBe(
      'aa6ac38b88868c15ec32bf6cca0dda3ffa2595bdf3e1ae98c328b799f889b9ac',
    );
    expect(digestOf({ b: 1, a: '€' })).toBe(digestOfText('{"a":"€","b":1}'));
  });
});
