import type { TrendPoint } from '../parity-matrix.view.ts';

/** The figure over time: few points, the further apart the longer the log. */
export interface Trend {
  /** Least time between two points, in ms. */
  every: number;
  points: TrendPoint[];
}

const first = 600_000;
const most = 96;

/** Before any point. */
export const emptyTrend = (): Trend => ({ every: first, points: [] });

/** Whether a point is due at a time. */
export const isDue = ({ every, points }: Trend, time: number): boolean =>
  time - (points.at(-1)?.time ?? -Infinity) >= every;

/** Adds a point. Once there are too many, every second one goes and the rest stand twice as far apart. */
export const addPoint = (trend: Trend, point: TrendPoint): void => {
  trend.points.push(point);
  if (trend.points.length <= most) return;
  trend.points = trend.points.filter((_, index) => index % 2 === 0);
  trend.every *= 2;
};
