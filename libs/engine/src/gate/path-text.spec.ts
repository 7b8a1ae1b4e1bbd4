import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isWithin, normalPath, pathWithin } from '@lockstep/policy';
import { comparable, folded, isBelow, relativeTo } from './path-text.ts';

const part = fc.constantFrom('a', 'b', 'ab', '.', '..', '', '.a', '...');
const absolute = fc.array(part, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`);

it('compares only absolute paths without NUL', () => {
  expect([comparable('a'), comparable(''), comparable('/a\0'), comparable('/a')]).toEqual([
    null,
    null,
    null,
    '/a',
  ]);
});

it('removes dots and doubled slashes as the policy does', () => {
  fc.assert(
    fc.property(absolute, (path) => {
      expect(comparable(path)).toBe(normalPath(path));
    }),
  );
});

it('finds the same paths below a folder as the policy does', () => {
  fc.assert(
    fc.property(absolute.map(normalPath), absolute.map(normalPath), (parent, child) => {
      expect(isBelow(parent, child)).toBe(isWithin(parent, child));
      if (isBelow(parent, child)) expect(relativeTo(parent, child)).toBe(pathWithin(parent, child));
    }),
  );
});

it('takes names that differ in case or composition for the same', () => {
  expect(folded('/A/\u00C9')).toBe(folded('/a/e\u0301'));
});
