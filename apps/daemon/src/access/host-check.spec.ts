import { describe, expect, it } from 'vitest';
import { hostProblem, isLoopback } from './host-check.ts';

const isFine = (
  host: string | undefined,
  origin?: string,
  extra: readonly string[] = [],
): boolean => hostProblem({ host, origin }, extra) === null;

describe('given a Host header', () => {
  it('serves loopback names with any port, in any case', () => {
    const fine = ['127.0.0.1:7420', 'LOCALHOST', '[::1]:80', '127.9.9.9'];
    expect(fine.filter((host) => !isFine(host))).toEqual([]);
  });

  it('refuses every other name, a missing one, and one that only looks like ours', () => {
    const foreign = [
      'evil.example',
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '0.0.0.0',
      'user@evil.example',
      '',
      undefined,
    ];
    expect(foreign.filter((host) => isFine(host))).toEqual([]);
  });

  it('serves names that the config adds', () => {
    expect(isFine('daemon:7420', undefined, ['Daemon'])).toBe(true);
  });
});

describe('given an Origin header', () => {
  it('refuses a foreign page, `null`, and what is no origin', () => {
    const foreign = ['https://evil.example', 'null', 'localhost', 'http://localhost.evil.example'];
    expect(foreign.filter((origin) => isFine('localhost', origin))).toEqual([]);
    expect(isFine('localhost', 'http://127.0.0.1:7421')).toBe(true);
  });
});

describe('given an address to bind', () => {
  it('knows loopback from what the network reaches', () => {
    expect(['127.0.0.1', '::1', 'localhost'].map(isLoopback)).toEqual([true, true, true]);
    expect(['0.0.0.0', '::', '10.0.0.1', '127.evil'].map(isLoopback)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
