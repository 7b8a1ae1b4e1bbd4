import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../canonical.ts';
import { effectNames } from '../names.ts';
import { coversTools } from '../surfaces/covers.ts';
import { chain } from './chain.ts';
import { clauses } from './clauses.ts';
import { denyPatterns } from './deny-patterns.ts';
import { atLeast, atMost, limit } from './limit.ts';
import { loop } from './loop.ts';
import { accessEntry, effectsEntry, entryIn, map, operandsEntry } from './map.ts';
import { isAtMost, type Order } from './order.ts';
import { own, ownRoot } from './own.ts';
import { roots } from './roots.ts';
import { set } from './set.ts';
import { trueIsNarrower } from './true-is-narrower.ts';
import { trueIsWider } from './true-is-wider.ts';

const name = fc.constantFrom('a', 'b', 'c', 'constructor', '__proto__');
const pattern = fc.constantFrom('*', 'builtin:a', 'builtin:*', 'mcp:s/*', 'mcp:s/x');
const clauseList = fc.array(fc.array(pattern, { maxLength: 3 }), { minLength: 1, maxLength: 3 });
const folder = fc.constantFrom('/', '/w', '/w/a', '/w/a/b', '/w/c', '/x');
const limits = fc.oneof(fc.nat(), fc.constant('unlimited' as const));
const operand = fc.oneof(
  fc.record({
    kind: fc.constant('path' as const),
    at: fc.constantFrom('/p', '/q'),
    access: fc.constantFrom('read' as const, 'write' as const),
  }),
  fc.record({ kind: fc.constant('url' as const), at: fc.constantFrom('/u', '/v') }),
);
const operands = fc.oneof(fc.constant('none' as const), fc.array(operand, { maxLength: 3 }));
const effects = fc.subarray([...effectNames]);
const loops = fc.record({
  window: fc.integer({ min: 1, max: 1000 }),
  max_repeats: fc.integer({ min: 1, max: 1000 }),
});

interface Case<T> {
  readonly called: string;
  readonly order: Order<T>;
  readonly values: fc.Arbitrary<T>;
}
const law = <T>(called: string, order: Order<T>, values: fc.Arbitrary<T>): Case<unknown> => ({
  called,
  order: order,
  values,
});

const steps = ['read_only', 'supervised', 'full'] as const;
const cases = [
  law('chain', chain(steps), fc.constantFrom(...steps)),
  law('true is narrower', trueIsNarrower, fc.boolean()),
  law('true is wider', trueIsWider, fc.boolean()),
  law('limit', limit, limits),
  law('at most', atMost(1), fc.integer({ min: 1, max: 100 })),
  law('at least', atLeast(10), fc.integer({ min: 1, max: 10 })),
  law('loop', loop, loops),
  law('clauses', clauses(coversTools), clauseList),
  law('deny patterns', denyPatterns(['*']), fc.array(pattern)),
  law('set', set, fc.array(name)),
  law(
    'map of access',
    map(accessEntry),
    fc.dictionary(name, fc.constantFrom('read', 'write', 'read_write')),
  ),
  law(
    'map of chains',
    map(entryIn(chain(['a', 'b']))),
    fc.dictionary(name, fc.constantFrom('a', 'b')),
  ),
  law('map of clauses', map(entryIn(clauses(coversTools))), fc.dictionary(name, clauseList)),
  law('map of effects', map(effectsEntry), fc.dictionary(name, fc.dictionary(name, effects))),
  law('map of operands', map(operandsEntry), fc.dictionary(name, fc.dictionary(name, operands))),
  law('roots', roots, fc.array(folder)),
  law('own', own('none'), fc.constantFrom('none', 'sqlite', 'markdown')),
  law('own root', ownRoot, folder),
];

const bytes = canonicalJson;

describe.each(cases)('the order $called', ({ order, values }) => {
  it('meets a value with itself in that value', () => {
    fc.assert(
      fc.property(values, (a) => {
        expect(bytes(order.meet(a, a))).toBe(bytes(order.normal(a)));
      }),
    );
  });

  it('meets two values the same way round and the other', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        expect(bytes(order.meet(a, b))).toBe(bytes(order.meet(b, a)));
      }),
    );
  });

  it('meets three values in any grouping', () => {
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        const left = order.meet(order.meet(a, b), c);
        expect(bytes(left)).toBe(bytes(order.meet(a, order.meet(b, c))));
      }),
    );
  });

  it('never answers more than either side', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const met = order.meet(a, b);
        expect([isAtMost(order, met, a), isAtMost(order, met, b)]).toEqual([true, true]);
      }),
    );
  });

  it('has a narrowest value that nothing narrows further', () => {
    fc.assert(
      fc.property(values, (a) => {
        expect(bytes(order.meet(a, order.bottom))).toBe(bytes(order.bottom));
      }),
    );
  });

  it('spells equal values one way', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const met = order.meet(a, b);
        expect(bytes(order.normal(met))).toBe(bytes(met));
        expect(bytes(order.meet(order.normal(a), order.normal(b)))).toBe(bytes(met));
      }),
    );
  });

  it('lets a caller ask for what it narrows to', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        expect(order.within(order.meet(a, b), a)).toBe(true);
      }),
    );
  });
});
