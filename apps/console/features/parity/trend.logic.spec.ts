import { describe, expect, it } from 'vitest';
import type { ParityView } from '@lockstep/engine';
import { trendDots, trendText } from './trend.logic.ts';

const point = (time: number, enforced: number, of: number): ParityView['trend'][number] => ({
  position: String(time).padStart(20, '0'),
  time,
  enforced,
  of,
});
const box = { width: 104, height: 24, pad: 2 };

describe('the line of the figure', () => {
  it('runs with time to the right and with the enforced share upwards', () => {
    const points = [point(1000, 0, 0), point(1500, 5, 10), point(2000, 10, 10)];
    expect(trendDots(points, box).map(({ x, y }) => [x, y])).toEqual([
      [2, 22],
      [52, 12],
      [102, 2],
    ]);
  });

  it('goes by order where all stand at one time, and is nothing without points', () => {
    const same = [point(1000, 0, 10), point(1000, 10, 10)];
    expect(trendDots(same, box).map(({ x }) => x)).toEqual([2, 102]);
    expect(trendDots([], box)).toEqual([]);
  });
});

it('says in words how the figure moved', () => {
  const ageOf = (time: number): string => `${3000 - time} ms ago`;
  expect([
    trendText([point(1000, 0, 8), point(2000, 5, 9)], ageOf),
    trendText([point(1000, 0, 8)], ageOf),
    trendText([], ageOf),
  ]).toEqual([
    'from 0 of 8 at position 1000, 2000 ms ago, to 5 of 9 at position 2000, 1000 ms ago',
    '0 of 8 at position 1000, 2000 ms ago',
    'no trend yet',
  ]);
});
