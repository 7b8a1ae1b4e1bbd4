import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matchesBelow } from '@lockstep/policy';
import { matchesSegments, segmentGlobs } from './below-pattern.ts';

const part = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 3 });
const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

it.each([
  ['**/.env', 'a/.env/b', true],
  ['**/.env', '.environment', false],
  ['**/a/*.key', 'x/a/b.key', true],
  ['**/a/*.key', 'x/a/b/c.key', false],
])('fits %s to %s: %s', (pattern, relative, fits) => {
  expect(matchesSegments(segmentGlobs(pattern), relative.split('/'))).toBe(fits);
});

it('fits what the pattern of the policy fits', () => {
  fc.assert(
    fc.property(path, path, (pattern, relative) => {
      const written = `**/${pattern}`;
      const found = matchesSegments(segmentGlobs(written), relative.split('/'));
      expect(found).toBe(matchesBelow(written, relative));
    }),
    { numRuns: 2_000 },
  );
});
