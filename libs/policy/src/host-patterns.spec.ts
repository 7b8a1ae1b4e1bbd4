import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  matchesHost,
  matchesHostClauses,
  normalizeHostPattern,
  parseHostPattern,
  type HostTarget,
} from './host-patterns.ts';

const https = (host: string, port = 443): HostTarget => ({ scheme: 'https', host, port });
const http = (host: string, port = 80): HostTarget => ({ scheme: 'http', host, port });

describe('a host pattern', () => {
  it.each([
    ['api.example.com', https('api.example.com'), true],
    ['API.Example.com', https('api.example.com'), true],
    ['api.example.com', https('api.example.com', 8443), false],
    ['api.example.com:8443', https('api.example.com', 8443), true],
    ['api.example.com:8443', https('api.example.com'), false],
    ['api.example.com', http('api.example.com'), false],
    ['http://api.example.com', http('api.example.com'), true],
    ['http://api.example.com', https('api.example.com'), false],
    ['http://localhost:8080', http('localhost', 8080), true],
    ['*.example.com', https('a.b.example.com'), true],
    ['*.example.com', https('example.com'), false],
    ['*.example.com', https('badexample.com'), false],
    ['example.com', https('example.com.evil.test'), false],
    ['*', http('anything', 1), true],
    ['*:8443', https('anything', 8443), true],
    ['*:8443', https('anything'), false],
    ['https://*', http('anything'), false],
    ['[::1]:9000', https('::1', 9000), true],
    ['127.0.0.1', https('127.0.0.1'), true],
  ])('%s against %o is %s', (pattern, target, expected) => {
    expect(matchesHost(pattern, target)).toBe(expected);
  });

  it.each([
    '',
    'a b',
    'ftp://a.example',
    'a.example/path',
    'a.example:0',
    'a.example:70000',
    'user@a.example',
    'a..example',
    'a*.example',
    'a.*.example',
    '*.127.0.0.1',
    '127.1',
    '256.0.0.1',
    'exämple.com',
    '-a.example',
    '[a:80]',
    'a.example.',
  ])('is refused and fits nothing when it cannot be read: %j', (pattern) => {
    expect(parseHostPattern(pattern)).toBeNull();
    expect(matchesHost(pattern, https(pattern))).toBe(false);
  });

  it('keeps its meaning in its normal form', () => {
    const host = fc.constantFrom('*', 'a.test', '*.a.test', 'b.a.test', '10.0.0.1', '[::1]');
    const scheme = fc.constantFrom('', 'http://', 'https://');
    const port = fc.constantFrom('', ':80', ':443', ':99');
    const target = fc.record({
      scheme: fc.constantFrom('http', 'https'),
      host: fc.constantFrom('a.test', 'b.a.test', '10.0.0.1', '::1'),
      port: fc.constantFrom(80, 443, 99),
    });
    fc.assert(
      fc.property(scheme, host, port, target, (s, h, p, to) => {
        const written = `${s}${h}${p}`;
        const normal = normalizeHostPattern(written);
        expect(matchesHost(normal, to)).toBe(matchesHost(written, to));
        expect(normalizeHostPattern(normal)).toBe(normal);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('clauses of host patterns', () => {
  it('need a fitting pattern in every clause, and name the longest', () => {
    const clauses = [['*.example.com', 'api.example.com'], ['*']];
    expect(matchesHostClauses(clauses, https('api.example.com'))).toEqual({
      ok: true,
      pattern: 'api.example.com',
    });
    expect(matchesHostClauses(clauses, https('other.test'))).toEqual({ ok: false, pattern: null });
    expect(matchesHostClauses([[]], https('a.test'))).toEqual({ ok: false, pattern: null });
  });
});
