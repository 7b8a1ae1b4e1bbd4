import type { ParityView } from '@lockstep/engine';

type Point = ParityView['trend'][number];

export interface TrendDot {
  readonly x: number;
  readonly y: number;
  readonly point: Point;
}

const shareOf = ({ enforced, of }: Point): number => (of === 0 ? 0 : enforced / of);

/** The points of the figure over time inside a box: time runs to the right, the share of enforced cells upwards from none to all. Where
 * all points share one time they stand by their order. */
export const trendDots = (
  points: readonly Point[],
  box: { readonly width: number; readonly height: number; readonly pad: number },
): readonly TrendDot[] => {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [];
  const span = last.time - first.time;
  const [width, height] = [box.width - 2 * box.pad, box.height - 2 * box.pad];
  return points.map((point, index) => {
    const along =
      span > 0 ? (point.time - first.time) / span : index / Math.max(points.length - 1, 1);
    return {
      x: round(box.pad + along * width),
      y: round(box.pad + (1 - shareOf(point)) * height),
      point,
    };
  });
};

const round = (value: number): number => Math.round(value * 10) / 10;

/** How the figure moved, in words for who cannot see the line. */
export const trendText = (points: readonly Point[], ageOf: (time: number) => string): string => {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return 'no trend yet';
  const at = (one: Point): string =>
    `${one.enforced} of ${one.of} at position ${Number(one.position)}, ${ageOf(one.time)}`;
  return first === last ? at(first) : `from ${at(first)}, to ${at(last)}`;
};
