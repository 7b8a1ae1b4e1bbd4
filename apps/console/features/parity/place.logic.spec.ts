import { describe, expect, it } from 'vitest';
import { moved, namesOf, placeOf, toggled } from './place.logic.ts';

describe('a key in a matrix of 30 rows and 8 columns', () => {
  it.each([
    ['ArrowRight', { row: 1, column: 3 }],
    ['ArrowLeft', { row: 1, column: 1 }],
    ['ArrowUp', { row: 0, column: 2 }],
    ['ArrowDown', { row: 2, column: 2 }],
    ['PageDown', { row: 11, column: 2 }],
    ['PageUp', { row: 0, column: 2 }],
    ['Home', { row: 1, column: 0 }],
    ['End', { row: 1, column: 7 }],
    ['x', null],
  ])('%s leads to its place', (key, place) => {
    expect(moved({ row: 1, column: 2 }, key, 30, 8)).toEqual(place);
  });

  it('stops at the edges', () => {
    expect([
      moved({ row: 29, column: 7 }, 'ArrowRight', 30, 8),
      moved({ row: 29, column: 7 }, 'PageDown', 30, 8),
      moved({ row: 0, column: 0 }, 'ArrowLeft', 30, 8),
    ]).toEqual([
      { row: 29, column: 7 },
      { row: 29, column: 7 },
      { row: 0, column: 0 },
    ]);
  });
});

it('reads a place from its cell', () => {
  expect([placeOf('3:12'), placeOf('x'), placeOf(undefined)]).toEqual([
    { row: 3, column: 12 },
    null,
    null,
  ]);
});

it('keeps names in an address: in, out, and none', () => {
  expect([...namesOf('loop,,sop')]).toEqual(['loop', 'sop']);
  expect(toggled(namesOf('loop'), 'sop')).toBe('loop,sop');
  expect(toggled(namesOf('loop,sop'), 'loop')).toBe('sop');
  expect(toggled(namesOf('sop'), 'sop')).toBeNull();
  expect([...namesOf(null)]).toEqual([]);
});
