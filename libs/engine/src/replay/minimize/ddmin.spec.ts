import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ddmin } from './ddmin.ts';

const items = fc.uniqueArray(fc.integer(), { maxLength: 25 });

describe('the smallest part of a list that still has a property', () => {
  it('is exactly what is needed, in order, where the property is to hold some items', () => {
    fc.assert(
      fc.property(items, fc.func(fc.boolean()), (list, isNeeded) => {
        const needed = list.filter((one) => isNeeded(one));
        expect(ddmin(list, (part) => needed.every((one) => part.includes(one)))).toEqual(needed);
      }),
    );
  });

  it('has the property, and loses it with any one item, whatever the property is', () => {
    fc.assert(
      fc.property(items, fc.func(fc.boolean()), (list, any) => {
        const holds = (part: readonly number[]): boolean =>
          part.length === list.length || (part.length > 0 && any(part));
        const smallest = ddmin(list, holds);
        if (list.length === 0) return;
        expect(holds(smallest)).toBe(true);
        for (const one of smallest.length === 1 ? [] : smallest)
          expect(holds(smallest.filter((other) => other !== one))).toBe(false);
      }),
    );
  });

  it('is nothing where nothing is needed, and asks no list twice', () => {
    expect(ddmin([1, 2, 3], () => true)).toEqual([]);
    const asked: string[] = [];
    ddmin([1, 2, 3, 4, 5, 6, 7, 8], (part) => {
      asked.push(part.join(' '));
      return part.includes(2) && part.includes(7);
    });
    expect(new Set(asked).size).toBe(asked.length);
  });
});
