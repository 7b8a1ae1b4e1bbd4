import type { TrendPoint } from '../parity-matrix.view.ts';

/** The figure over time: few points, the further apart the longer the log. */
export interface Trend {
  /** Least time between two points, in ms. */
  every: number;
  /** Turns that ended since the last point. */
  turns: number;
  points: TrendPoint[];
}

const first = 600_000;
const most = 96;
/** A point costs as much as many events: the more there are, the more turns lie between two, up to a bound. */
const turnsBetween = (points: number): number => Math.min(8 * points, 200);

/** Before any point. */
export const emptyTrend = (): Trend => ({ every: first, turns: 0, points: [] });

/** Counts a turn that ended at a time, and tells whether a point is due. */
export const isDue = (trend: Trend, time: number): boolean => {
  trend.turns += 1;
  const { every, turns, points } = trend;
  const last = points.at(-1)?.time ?? -Infinity;
  return turns >= turnsBetween(points.length) && time - last >= every;
};

/** Adds a point. Once there are too many, every second one goes and the rest stand twice as far apart. */
export const addPoint = (trend: Trend, point: TrendPoint): void => {
  trend.points.push(point);
  trend.turns = 0;
  if (trend.points.length <= most) return;
  trend.points = trend.points.filter((_, index) => index % 2 === 0);
  trend.every *= 2;
};
