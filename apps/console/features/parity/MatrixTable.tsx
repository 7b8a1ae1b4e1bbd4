'use client';

import { useRef, useState, type KeyboardEvent } from 'react';
import type { ParityCell, ParityRow } from '@lockstep/engine';
import { plural } from '../../lib/format.ts';
import { StateMark, stateClass } from './StateMark.tsx';
import {
  cellKey,
  moved,
  pathColumns,
  settingName,
  stateLooks,
  type PathName,
  type Place,
  type SurfaceGroup,
} from './parity.logic.ts';
import styles from './parity.module.css';

/** Settings by surface against the six paths. One tab stop; arrows move from cell to cell. */
export const MatrixTable = ({
  groups,
  pulses,
  onOpen,
}: {
  readonly groups: readonly SurfaceGroup[];
  readonly pulses: ReadonlyMap<string, number>;
  readonly onOpen: (key: string) => void;
}) => {
  const frame = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState<Place>({ row: 0, column: 0 });
  const rows = groups.flatMap((group) => group.rows);
  const atStop = Math.min(stop.row, rows.length - 1);
  const onKey = (event: KeyboardEvent): void => {
    const to = moved({ row: atStop, column: stop.column }, event.key, rows.length);
    if (to === null) return;
    event.preventDefault();
    setStop(to);
    frame.current?.querySelector<HTMLElement>(`[data-place="${to.row}:${to.column}"]`)?.focus();
  };
  return (
    <div ref={frame} className={`panel ${styles['frame']}`} onKeyDown={onKey}>
      <table className={styles['matrix']}>
        <caption className="quiet">
          Settings by surface, and how each of the six paths stands to them
        </caption>
        <colgroup>
          <col />
          {pathColumns.map((path) => (
            <col key={path} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th scope="col">setting</th>
            {pathColumns.map((path) => (
              <th key={path} scope="col">
                {path}
              </th>
            ))}
          </tr>
        </thead>
        {groups.map((group) => (
          <tbody key={group.surface}>
            <tr className={styles['surface']}>
              <th colSpan={pathColumns.length + 1} scope="rowgroup">
                {group.surface}
              </th>
            </tr>
            {group.rows.map((row) => (
              <Row
                key={row.setting}
                row={row}
                index={rows.indexOf(row)}
                stop={{ row: atStop, column: stop.column }}
                pulses={pulses}
                onOpen={onOpen}
                onFocus={setStop}
              />
            ))}
            {group.later.length === 0 ? null : <LaterRows group={group} />}
          </tbody>
        ))}
      </table>
    </div>
  );
};

interface RowProps {
  readonly row: ParityRow;
  readonly index: number;
  readonly stop: Place;
  readonly pulses: ReadonlyMap<string, number>;
  readonly onOpen: (key: string) => void;
  readonly onFocus: (place: Place) => void;
}

const Row = ({ row, index, stop, pulses, onOpen, onFocus }: RowProps) => (
  <tr>
    <th scope="row" className={styles['setting']} title={row.setting}>
      {settingName(row)}
    </th>
    {pathColumns.map((path, column) => {
      const cell = row.cells[path];
      const key = cellKey(row.setting, path);
      return (
        <td key={path} className={styles['slot']}>
          <button
            type="button"
            data-place={`${index}:${column}`}
            data-cell={key}
            data-state={cell.state}
            tabIndex={index === stop.row && column === stop.column ? 0 : -1}
            className={`${styles['cell']} ${stateClass(cell.state)} ${pulseClass(pulses.get(key) ?? 0)}`}
            aria-label={labelOf(row, path, cell)}
            title={cell.reason ?? sinceText(cell) ?? stateLooks[cell.state].means}
            onFocus={() => {
              onFocus({ row: index, column });
            }}
            onClick={() => {
              onOpen(key);
            }}
          >
            <StateMark state={cell.state} kind={cell.kind} />
          </button>
        </td>
      );
    })}
  </tr>
);

const pulseClass = (count: number): string =>
  (count === 0 ? '' : styles[count % 2 === 1 ? 'pulse' : 'pulseAgain']) ?? '';

const labelOf = (row: ParityRow, path: PathName, cell: ParityCell): string => {
  const kind = cell.kind === undefined ? '' : `, ${cell.kind}`;
  return `${row.setting} on ${path}: ${stateLooks[cell.state].word}${kind}`;
};

const sinceText = (cell: ParityCell): string | null =>
  cell.since === null ? null : `since config version ${cell.since}`;

const LaterRows = ({ group }: { readonly group: SurfaceGroup }) => (
  <tr className={styles['later']}>
    <td colSpan={pathColumns.length + 1}>
      <details>
        <summary>
          {plural(group.later.length, 'setting')} folded
          {group.laterReason === null ? '' : `: ${group.laterReason}`}
        </summary>
        <ul className="mono">
          {group.later.map((row) => (
            <li key={row.setting}>{settingName(row)}</li>
          ))}
        </ul>
      </details>
    </td>
  </tr>
);
