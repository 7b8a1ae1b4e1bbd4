'use client';

import { Dialog } from '../../ui/Sheet.tsx';
import styles from './shell.module.css';

const keys: readonly (readonly [key: string, what: string])[] = [
  ['⌘K / Ctrl K', 'go to a page, an agent or a turn'],
  ['?', 'this help'],
  ['j / k', 'next and previous request in Approvals'],
  ['a, then Enter', 'approve the selected request once'],
  ['d, then Enter', 'deny the selected request'],
  ['Esc', 'close what is open, take back a or d'],
  ['Arrows', 'move between the cells of the matrix; Enter opens one'],
  ['o', 'open the path of a cell into its triggers, and close it'],
  ['Ctrl Enter', 'approve with edited arguments, send an answer'],
];

export const KeyboardHelp = ({
  opened,
  onClose,
}: {
  readonly opened: boolean;
  readonly onClose: () => void;
}) => (
  <Dialog opened={opened} onClose={onClose} title="Keys">
    <dl className={styles['help']}>
      {keys.map(([key, what]) => (
        <div key={key} style={{ display: 'contents' }}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
