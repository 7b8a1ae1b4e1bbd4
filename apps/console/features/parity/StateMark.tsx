import type { CellState } from '@lockstep/engine';
import { stateLooks } from './parity.logic.ts';
import styles from './parity.module.css';

export const stateClass = (state: CellState): string =>
  styles[state === 'n/a' ? 'na' : state] ?? '';

/** A state in its three signs: colour, glyph, word. */
export const StateMark = ({
  state,
  kind,
}: {
  readonly state: CellState;
  readonly kind?: string | undefined;
}) => {
  const { glyph, word } = stateLooks[state];
  return (
    <>
      <span className={styles['glyph']} aria-hidden="true">
        {glyph}
      </span>
      <span>
        {word}
        {kind === undefined ? '' : `, ${kind}`}
      </span>
    </>
  );
};
