import { describe, expect, it } from 'vitest';
import {
  age,
  ago,
  clockTime,
  costText,
  countText,
  duration,
  exactTime,
  shortId,
} from './format.ts';

describe('a duration', () => {
  it.each([
    [-5, '0 ms'],
    [850, '850 ms'],
    [59_999, '59 s'],
    [185_000, '3 m 05 s'],
    [7_800_000, '2 h 10 m'],
    [4 * 86_400_000 + 3 * 3_600_000, '4 d 3 h'],
  ])('reads %i ms as %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe('an age', () => {
  it.each([
    [4999, 'now', 'now'],
    [44_000, '40 s', '40 s ago'],
    [185_000, '3 m', '3 m ago'],
    [7_800_000, '2 h', '2 h ago'],
    [200_000_000, '2 d', '2 d ago'],
  ])('reads %i ms as %s and %s', (ms, text, past) => {
    expect([age(ms), ago(ms)]).toEqual([text, past]);
  });
});

describe('a time', () => {
  it('names its zone to the millisecond in UTC', () => {
    expect(exactTime(1_796_059_562_934, 'utc')).toBe('2026-11-30 17:26:02.934 UTC');
  });

  it('names its offset where it is local', () => {
    expect(exactTime(1_796_059_562_934, 'local')).toMatch(
      /^2026-1[12]-\d\d \d\d:\d\d:02\.934 [+-]\d\d:\d\d$/,
    );
  });

  it('shows the clock alone in lists', () => {
    expect(clockTime(1_796_059_562_934, 'utc')).toBe('17:26:02');
  });
});

it('shows small costs with the digits that say something', () => {
  expect([0, 4200, 1_250_000, 'unknown' as const].map(costText)).toEqual([
    '$0.00',
    '$0.004200',
    '$1.25',
    'unknown',
  ]);
});

it('groups the digits of counts', () => {
  expect(countText(1234567)).toBe('1\u2009234\u2009567');
});

it('keeps the end of long ids, where ids of one second differ', () => {
  expect(shortId('01a22d7e-1152-7002-938c-af371d4fe990')).toBe('…1d4fe990');
});

it('keeps the first twelve of a digest', () => {
  expect(shortId('0123456789abcdef'.repeat(4))).toBe('0123456789ab');
});
