import { describe, expect, it } from 'vitest';
import { detectLoop, type CallKey } from './detect-loop.ts';

const call = (name: string): CallKey => ({ tool: `builtin:${name[0] ?? ''}`, argsDigest: name });
const calls = (names: string): readonly CallKey[] =>
  names
    .split(' ')
    .filter((n) => n !== '')
    .map(call);

describe('given a window of 4 and at most 2 repeats', () => {
  const limits = { window: 4, max_repeats: 2 };
  it.each([
    ['', 'a1', null],
    ['a1', 'a1', null],
    ['a1 a1', 'a1', 3],
    ['a1 b1 a1', 'a1', 3],
    ['a1 a1 a1', 'a1', 4],
    ['a1 a2 a3', 'a4', null],
    ['a1 b1 c1 a1', 'a1', null],
    ['a1 a1 b1 c1', 'a1', null],
  ])('after %j, %s is repeated %s times', (earlier, next, repeats) => {
    expect(detectLoop(limits, calls(earlier), call(next))).toBe(repeats);
  });
});

it('tells tools with equal arguments apart', () => {
  const same = { argsDigest: 'x' };
  expect(
    detectLoop({ window: 9, max_repeats: 1 }, [{ tool: 'builtin:a', ...same }], {
      tool: 'builtin:b',
      ...same,
    }),
  ).toBeNull();
});

it('looks at the call alone in a window of one', () => {
  expect(detectLoop({ window: 1, max_repeats: 1 }, calls('a1 a1'), call('a1'))).toBeNull();
});
