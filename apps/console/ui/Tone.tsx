import type { ReactNode } from 'react';
import type { StepTone } from '@lockstep/engine';
import styles from './ui.module.css';

const glyphs: Readonly<Record<StepTone, string>> = {
  neutral: '·',
  good: '●',
  refused: '✕',
  waiting: '◔',
  bad: '▲',
};

/** A tone as colour and glyph; its word follows. */
export const Tone = ({
  tone,
  children,
}: {
  readonly tone: StepTone;
  readonly children?: ReactNode;
}) => (
  <span className={`${styles['tone']} ${styles[tone]}`}>
    <span aria-hidden="true">{glyphs[tone]}</span>
    {children === undefined ? null : <span>{children}</span>}
  </span>
);
