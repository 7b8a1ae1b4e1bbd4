import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesHost } from '../host-patterns.ts';
import { coversCommands, coversHosts } from './covers.ts';

const host = fc.constantFrom(
  '*',
  'https://*',
  'http://*',
  'a.test',
  '*.a.test',
  'b.a.test',
  '*.b.a.test',
  'a.test:8443',
  'http://a.test',
);
const target = fc.record({
  scheme: fc.constantFrom('https' as const, 'http' as const),
  host: fc.constantFrom('a.test', 'b.a.test', 'c.b.a.test', 'test', 'ba.test'),
  port: fc.constantFrom(443, 80, 8443),
});

describe('a host pattern that covers another', () => {
  it('admits every connection that the other admits', () => {
    fc.assert(
      fc.property(host, host, target, (wide, narrow, to) => {
        const beyond = matchesHost(narrow, to) && !matchesHost(wide, to);
        expect(coversHosts(wide, narrow) && beyond).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('is found for a name below it', () => {
    expect(coversHosts('*.a.test', 'b.a.test')).toBe(true);
    expect(coversHosts('*.a.test', 'a.test')).toBe(false);
    expect(coversHosts('a.test', 'http://a.test')).toBe(false);
  });
});

describe('a command prefix that covers another', () => {
  it('ends where a word ends', () => {
    expect(coversCommands('git', 'git status')).toBe(true);
    expect(coversCommands('git', 'gitk')).toBe(false);
    expect(coversCommands('git status', 'git')).toBe(false);
  });
});
