'use client';

import { useRef, useState, type KeyboardEvent } from 'react';
import type { ParityRow, ParityView } from '@lockstep/engine';
import { StateMark, stateClass } from './StateMark.tsx';
import {
  cellAt,
  cellKey,
  cellSentence,
  closedBecause,
  columnKey,
  columnsOf,
  settingName,
  stateLooks,
  surfaceCell,
  type Column,
  type PathName,
  type SurfaceGroup,
} from './parity.logic.ts';
import { moved, placeOf, type Place } from './place.logic.ts';
import styles from './parity.module.css';

interface MatrixProps {
  readonly matrix: ParityView;
  readonly groups: readonly SurfaceGroup[];
  readonly open: ReadonlySet<string>;
  readonly folded: ReadonlySet<string>;
  readonly pulses: ReadonlyMap<string, number>;
  readonly onOpen: (key: string) => void;
  readonly onPath: (path: PathName) => void;
  readonly onSurface: (surface: string) => void;
}

/** Settings by surface against the six paths, each of which opens into its triggers. One tab stop; arrows move from cell to cell. */
export const MatrixTable = ({
  matrix,
  groups,
  open,
  folded,
  pulses,
  onOpen,
  onPath,
  onSurface,
}: MatrixProps) => {
  const frame = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState<Place>({ row: 0, column: 0 });
  const [said, setSaid] = useState<string | null>(null);
  const columns = columnsOf(matrix, open);
  const rows = groups.flatMap((group) => (folded.has(group.surface) ? [] : group.rows));
  const at: Place = {
    row: Math.min(stop.row, Math.max(rows.length - 1, 0)),
    column: Math.min(stop.column, columns.length - 1),
  };
  const onKey = (event: KeyboardEvent<HTMLElement>): void => {
    // Where the key was pressed: columns may have come or gone since the cell was entered.
    const from =
      event.target instanceof HTMLElement ? placeOf(event.target.dataset['place']) : null;
    if (from === null || event.ctrlKey || event.metaKey) return;
    const path = columns[from.column]?.path;
    if (event.key === 'o' && path !== undefined) onPath(path);
    const to = moved(from, event.key, rows.length, columns.length);
    if (to === null) return;
    event.preventDefault();
    setStop(to);
    frame.current?.querySelector<HTMLElement>(`[data-place="${to.row}:${to.column}"]`)?.focus();
  };
  return (
    <>
      <div ref={frame} className={`panel ${styles['frame']}`} onKeyDown={onKey}>
        <table
          className={styles['matrix']}
          style={{ minWidth: `${16 + columns.length * 7.25}rem` }}
        >
          <caption className="quiet">
            Settings by surface, and how each of the six paths stands to them
          </caption>
          <colgroup>
            <col />
            {columns.map((column) => (
              <col key={columnKey(column)} />
            ))}
          </colgroup>
          <thead>
            <tr>
              <th scope="col">setting</th>
              {columns.map((column) => (
                <ColumnHead
                  key={columnKey(column)}
                  column={column}
                  opened={open.has(column.path)}
                  closed={column.trigger === null ? closedBecause(matrix, column.path) : null}
                  onPath={onPath}
                />
              ))}
            </tr>
          </thead>
          {groups.map((group) => (
            <tbody key={group.surface}>
              <SurfaceRow
                group={group}
                columns={columns}
                folded={folded.has(group.surface)}
                onSurface={onSurface}
              />
              {folded.has(group.surface)
                ? null
                : group.rows.map((row) => (
                    <Row
                      key={row.setting}
                      row={row}
                      columns={columns}
                      index={rows.indexOf(row)}
                      stop={at}
                      pulses={pulses}
                      onOpen={onOpen}
                      onFocus={setStop}
                      onSay={setSaid}
                    />
                  ))}
            </tbody>
          ))}
        </table>
      </div>
      <p className={`${styles['said']} cut`} aria-hidden="true">
        {said ?? 'Arrows move between cells, Enter opens one, o opens a path into its triggers.'}
      </p>
    </>
  );
};

const ColumnHead = ({
  column: { path, trigger },
  opened,
  closed,
  onPath,
}: {
  readonly column: Column;
  readonly opened: boolean;
  readonly closed: string | null;
  readonly onPath: (path: PathName) => void;
}) =>
  trigger === null ? (
    <th scope="col" data-path={path}>
      <button
        type="button"
        className={styles['fold']}
        aria-expanded={opened}
        title={opened ? `close the triggers of ${path}` : `open ${path} into its triggers`}
        onClick={() => {
          onPath(path);
        }}
      >
        <span aria-hidden="true">{opened ? '▾' : '▸'}</span> {path}
      </button>
      {closed === null ? null : (
        <span className={`${styles['closed']} cut`} title={closed}>
          closed: {closed}
        </span>
      )}
    </th>
  ) : (
    <th scope="col" className={styles['trigger']} data-trigger={`${path}.${trigger}`}>
      {trigger}
    </th>
  );

const SurfaceRow = ({
  group: { surface, rows },
  columns,
  folded,
  onSurface,
}: {
  readonly group: SurfaceGroup;
  readonly columns: readonly Column[];
  readonly folded: boolean;
  readonly onSurface: (surface: string) => void;
}) => (
  <tr className={styles['surface']} data-surface={surface}>
    <th scope="rowgroup">
      <button
        type="button"
        className={styles['fold']}
        aria-expanded={!folded}
        onClick={() => {
          onSurface(surface);
        }}
      >
        <span aria-hidden="true">{folded ? '▸' : '▾'}</span> {surface}
      </button>
    </th>
    {columns.map((column) => {
      const { state, enforced, of } = surfaceCell(rows, column);
      return (
        <td
          key={columnKey(column)}
          className={`mono ${stateClass(state)} ${styles['bare']}`}
          title={`${enforced} of ${of} settings of ${surface} enforced; the worst is ${stateLooks[state].word}`}
        >
          <span className={styles['glyph']} aria-hidden="true">
            {stateLooks[state].glyph}
          </span>{' '}
          {of === 0 ? '' : `${enforced}/${of}`}
          <span className="quiet">, worst: {stateLooks[state].word}</span>
        </td>
      );
    })}
  </tr>
);

interface RowProps {
  readonly row: ParityRow;
  readonly columns: readonly Column[];
  readonly index: number;
  readonly stop: Place;
  readonly pulses: ReadonlyMap<string, number>;
  readonly onOpen: (key: string) => void;
  readonly onFocus: (place: Place) => void;
  readonly onSay: (sentence: string) => void;
}

const Row = ({ row, columns, index, stop, pulses, onOpen, onFocus, onSay }: RowProps) => (
  <tr>
    <th scope="row" className={styles['setting']} title={row.setting}>
      {settingName(row)}
    </th>
    {columns.map((column, place) => {
      const cell = cellAt(row, column);
      const key = cellKey(row.setting, columnKey(column));
      const sentence = cellSentence(row, column);
      return (
        <td
          key={key}
          className={`${styles['slot']} ${column.trigger === null ? '' : (styles['trigger'] ?? '')}`}
        >
          <button
            type="button"
            data-place={`${index}:${place}`}
            data-cell={key}
            data-state={cell.state}
            tabIndex={index === stop.row && place === stop.column ? 0 : -1}
            className={`${styles['cell']} ${stateClass(cell.state)} ${pulseClass(pulses.get(key) ?? 0)}`}
            aria-label={labelOf(row, column, sentence)}
            onFocus={() => {
              onFocus({ row: index, column: place });
              onSay(sentence);
            }}
            onPointerEnter={() => {
              onSay(sentence);
            }}
            onClick={() => {
              onOpen(cellKey(row.setting, column.path));
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

/** A closed cell says why at once; the others are short. */
const labelOf = (row: ParityRow, column: Column, sentence: string): string => {
  const { state, kind } = cellAt(row, column);
  if (state === 'n/a') return sentence;
  const where = column.trigger === null ? column.path : `${column.path} by ${column.trigger}`;
  return `${row.setting} on ${where}: ${stateLooks[state].word}${kind === undefined ? '' : `, ${kind}`}`;
};
