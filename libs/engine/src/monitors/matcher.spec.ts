import {
  matchesClauses,
  matchesHost,
  matchesPattern,
  normalizeToolPattern,
} from '@lockstep/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandCovered } from '../gate/command-operand.ts';
import { commandAllowed, hostCovers, hostFits, toolAllowed, toolFits } from './matcher.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', '*', ':', '/', '_'), maxLength: 8 });
const patterns = fc.oneof(
  word,
  word.map((w) => `mcp:${w}`),
  fc.constantFrom('*', 'builtin:*', 'file_*', 'mcp:*/read', '**', ''),
);
const ids = fc.oneof(
  word,
  word.map((w) => `builtin:${w.replaceAll('*', 'a')}`),
  word.map((w) => `mcp:${w.replaceAll('*', 'b')}`),
);

const hostPattern = fc
  .tuple(
    fc.constantFrom('', 'http://', 'https://'),
    fc.constantFrom('*', 'a.test', '*.a.test', 'B.a.test', '10.0.0.1', '[::1]', '*.test'),
    fc.constantFrom('', ':80', ':443', ':99'),
  )
  .map((parts) => parts.join(''));
const destination = fc.record({
  scheme: fc.constantFrom('http' as const, 'https' as const),
  host: fc.constantFrom('a.test', 'b.a.test', 'xa.test', 'test', '10.0.0.1', '::1', 'A.TEST'),
  port: fc.constantFrom(80, 443, 99),
});

describe('the second matcher', () => {
  it('agrees with the first on every tool pattern', () => {
    fc.assert(
      fc.property(patterns, ids, (pattern, id) => {
        expect(toolFits(pattern, id)).toBe(matchesPattern(normalizeToolPattern(pattern), id));
      }),
      { numRuns: 5_000 },
    );
  });

  it('agrees with the first on clauses', () => {
    const clauses = fc.array(fc.array(patterns.map(normalizeToolPattern), { maxLength: 3 }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(clauses, ids, (all, id) => {
        expect(toolAllowed(all, id)).toBe(matchesClauses(all, id).ok);
      }),
      { numRuns: 2_000 },
    );
  });

  it('agrees with the first on hosts', () => {
    fc.assert(
      fc.property(hostPattern, destination, (p, to) => {
        expect(hostFits(p, to)).toBe(matchesHost(p, to));
      }),
      { numRuns: 5_000 },
    );
  });

  it('says that one host pattern covers another only where it takes all that the other takes', () => {
    fc.assert(
      fc.property(hostPattern, hostPattern, destination, (wide, narrow, to) => {
        if (hostCovers(wide, narrow) && hostFits(narrow, to)) expect(hostFits(wide, to)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  it('agrees with the first on commands', () => {
    const words = fc.array(fc.constantFrom('git', 'status', 'ls', '-l', 'git status', ''), {
      maxLength: 4,
    });
    const prefix = fc.oneof(
      fc.constantFrom('*', '', ' ', 'gi', 'git  status'),
      words.map((list) => list.join(' ')),
    );
    const clauses = fc.array(fc.array(prefix, { maxLength: 3 }), { maxLength: 3 });
    fc.assert(
      fc.property(clauses, words, (all, argv) => {
        expect(commandAllowed(all, argv)).toBe(commandCovered(all, argv));
      }),
      { numRuns: 5_000 },
    );
  });
});
