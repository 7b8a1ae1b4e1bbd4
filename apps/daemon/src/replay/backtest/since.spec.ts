import { describe, expect, it } from 'vitest';
import { readSince } from './since.ts';

const now = Date.parse('2026-03-10T12:00:00Z');

describe('given a time to look back to', () => {
  it.each([
    ['90m', '2026-03-10T10:30:00Z'],
    ['12h', '2026-03-10T00:00:00Z'],
    ['30d', '2026-02-08T12:00:00Z'],
    ['2w', '2026-02-24T12:00:00Z'],
    ['2026-03-01', '2026-03-01T00:00:00Z'],
    ['2026-03-01T08:30', '2026-03-01T08:30:00Z'],
    ['2026-03-01T08:30:15.250Z', '2026-03-01T08:30:15.250Z'],
    ['2026-03-01T08:30:00+02:00', '2026-03-01T06:30:00Z'],
  ])('reads %s as %s', (text, time) => {
    expect(readSince(text, now)).toBe(Date.parse(time));
  });

  it.each(['', '30', 'd', '-3d', '3y', 'yesterday', '2026-13-01', '01.03.2026', '1e3d'])(
    'takes `%s` for no time',
    (text) => {
      expect(readSince(text, now)).toBeNull();
    },
  );
});
