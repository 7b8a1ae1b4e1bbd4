import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesClauses } from '../patterns.ts';
import { coversTools } from '../surfaces/covers.ts';
import { clauses, widenClauses } from './clauses.ts';

const order = clauses(coversTools);
const pattern = fc.constantFrom('*', 'a', 'b', 'a*', '*b', 'ab', 'x*y');
const list = fc.array(fc.array(pattern, { maxLength: 3 }), { minLength: 1, maxLength: 3 });
const id = fc.constantFrom('a', 'b', 'ab', 'xy', 'xay', 'aab', '');

describe('the normal form of clauses', () => {
  it('sorts patterns and clauses and keeps each once', () => {
    expect(order.normal([['b', 'a', 'b'], ['a'], ['a', 'b']])).toEqual([['a', 'b'], ['a']]);
  });

  it('drops a clause of everything only beside another', () => {
    expect(order.normal([['*'], ['a']])).toEqual([['a']]);
    expect(order.normal([['*'], ['*', 'a']])).toEqual([['*']]);
  });

  it('is none as soon as one clause is empty', () => {
    expect(order.normal([['a'], []])).toEqual([[]]);
    expect(order.normal([])).toEqual([[]]);
  });
});

describe('the meet of clauses', () => {
  it('admits what both sides admit and nothing else', () => {
    fc.assert(
      fc.property(list, list, id, (a, b, name) => {
        const both = matchesClauses(a, name).ok && matchesClauses(b, name).ok;
        expect(matchesClauses(order.meet(a, b), name).ok).toBe(both);
      }),
    );
  });

  it('lets a caller ask only for what is granted to it', () => {
    fc.assert(
      fc.property(list, list, id, (asked, held, name) => {
        const beyond = matchesClauses(asked, name).ok && !matchesClauses(held, name).ok;
        expect(order.within(asked, held) && beyond).toBe(false);
      }),
    );
    expect(order.within([['mcp:s/read_a']], [['mcp:s/*'], ['*read*']])).toBe(true);
    expect(order.within([['mcp:s/*']], [['mcp:s/read_*']])).toBe(false);
  });
});

describe('patterns added to clauses', () => {
  it('are admitted beside what the clauses admit', () => {
    fc.assert(
      fc.property(list, fc.array(pattern, { minLength: 1 }), id, (a, more, name) => {
        const either = matchesClauses(a, name).ok || matchesClauses([more], name).ok;
        expect(matchesClauses(widenClauses(a, more), name).ok).toBe(either);
      }),
    );
  });
});
