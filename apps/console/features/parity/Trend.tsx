'use client';

import type { ParityView } from '@lockstep/engine';
import { ago, exactTime } from '../../lib/format.ts';
import { usePrefs } from '../../lib/prefs.tsx';
import { useNow } from '../../lib/use-now.ts';
import { When } from '../../ui/When.tsx';
import { trendDots, trendText } from './trend.logic.ts';
import styles from './parity.module.css';

const box = { width: 128, height: 28, pad: 3 };

/** The figure: of what, since when, and how it came there. */
export const Figure = ({ matrix }: { readonly matrix: ParityView }) => {
  const first = matrix.trend[0];
  return (
    <div className={styles['figure']}>
      <p style={{ margin: 0 }} aria-live="polite">
        <strong>
          {matrix.figure.enforced} <span className="dim">of</span> {matrix.figure.of}
        </strong>{' '}
        <span className="dim">
          cells that can matter are enforced
          {first === undefined ? null : (
            <>
              , since <When at={first.time} />
            </>
          )}
        </span>
      </p>
      {matrix.trend.length < 2 ? null : <Spark points={matrix.trend} />}
    </div>
  );
};

const Spark = ({ points }: { readonly points: ParityView['trend'] }) => {
  const now = useNow();
  const { zone } = usePrefs();
  const dots = trendDots(points, box);
  return (
    <svg
      className={styles['spark']}
      width={box.width}
      height={box.height}
      viewBox={`0 0 ${box.width} ${box.height}`}
      role="img"
      aria-label={`the share of enforced cells: ${trendText(points, (time) => ago(now - time))}`}
    >
      <line x1="0" x2={box.width} y1={box.height - 0.5} y2={box.height - 0.5} />
      <polyline points={dots.map(({ x, y }) => `${x},${y}`).join(' ')} />
      {dots.map(({ x, y, point }) => (
        <g key={point.position}>
          <circle cx={x} cy={y} r="1.5" />
          <circle cx={x} cy={y} r="6" className={styles['reach']}>
            <title>
              {`${point.enforced} of ${point.of} at position ${Number(point.position)}, ${exactTime(point.time, zone)}`}
            </title>
          </circle>
        </g>
      ))}
    </svg>
  );
};
