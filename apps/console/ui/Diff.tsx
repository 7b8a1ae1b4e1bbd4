import type { DiffLine } from './diff.logic.ts';
import styles from './ui.module.css';

/** Lines of a diff. Sign and colour say the same. */
export const Diff = ({
  lines,
  label,
}: {
  readonly lines: readonly DiffLine[];
  readonly label: string;
}) => (
  <pre className={styles['diff']} aria-label={label}>
    {lines.map((line, index) => (
      <span key={index} className={line.kind === 'same' ? undefined : styles[line.kind]}>
        {line.text === '' ? ' ' : line.text}
      </span>
    ))}
  </pre>
);
