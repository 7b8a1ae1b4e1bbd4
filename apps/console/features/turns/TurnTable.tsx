'use client';

import Link from 'next/link';
import { useEffect, useRef } from 'react';
import { createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { costText, countText, duration } from '../../lib/format.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { Id } from '../../ui/Id.tsx';
import { Tone } from '../../ui/Tone.tsx';
import { When } from '../../ui/When.tsx';
import { statusTone, type ShownRow } from './turns.logic.ts';
import styles from './turns.module.css';

const features = tableFeatures({});
const column = createColumnHelper<typeof features, ShownRow>();
const columns = column.columns([
  column.accessor('status', {
    header: 'status',
    cell: (cell) => <Tone tone={statusTone[cell.getValue()]}>{cell.getValue()}</Tone>,
  }),
  column.accessor('agent', { header: 'agent' }),
  column.accessor('path', {
    header: 'path',
    cell: ({ row }) => (
      <span title={`path ${row.original.path}, trigger ${row.original.trigger}`}>
        {row.original.path} <span className="dim">{row.original.trigger}</span>
      </span>
    ),
  }),
  column.accessor('input', {
    header: 'input',
    cell: ({ row }) => (
      <Link href={`/turns/${row.original.id}`}>
        {row.original.input === null ? (
          <span className="dim">not shown to your role</span>
        ) : (
          <Foreign>{row.original.input === '' ? 'empty' : row.original.input}</Foreign>
        )}
      </Link>
    ),
  }),
  column.accessor('allowed', { header: 'allowed' }),
  column.accessor('refused', { header: 'refused' }),
  column.accessor('asked', { header: 'asked' }),
  column.accessor('tokens', {
    header: 'tokens',
    cell: ({ row }) => (
      <span title={`cost ${costText(row.original.cost)}`}>{countText(row.original.tokens)}</span>
    ),
  }),
  column.display({
    id: 'took',
    header: 'took',
    cell: ({ row: { original } }) =>
      original.endedAt === null ? '…' : duration(original.endedAt - original.startedAt),
  }),
  column.accessor('startedAt', {
    header: 'started',
    cell: ({ row }) => <When at={row.original.startedAt} />,
  }),
  column.accessor('id', {
    header: 'turn',
    cell: (cell) => <Id id={cell.getValue()} what="turn" />,
  }),
]);

const numeric = new Set(['allowed', 'refused', 'asked', 'tokens', 'took']);
const rowHeight = 34;

/** A list of any length: only the rows in sight are in the page. */
export const TurnTable = ({
  rows,
  onEnter,
  onLeave,
  onEnd,
}: {
  readonly rows: readonly ShownRow[];
  readonly onEnter: () => void;
  readonly onLeave: () => void;
  readonly onEnd: (() => void) | null;
}) => {
  const frame = useRef<HTMLDivElement>(null);
  const table = useTable({ features, columns, data: rows, getRowId: (row) => row.id });
  const model = table.getRowModel().rows;
  const virtual = useVirtualizer({
    count: model.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const atEnd = last >= model.length - 1 && model.length >= 100;
  useEffect(() => {
    if (atEnd) onEnd?.();
  }, [atEnd, onEnd]);
  return (
    <div
      ref={frame}
      className={`panel ${styles['frame']}`}
      role="table"
      aria-label="turns"
      aria-rowcount={model.length + 1}
      tabIndex={0}
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
    >
      {table.getHeaderGroups().map((group) => (
        <div key={group.id} role="row" aria-rowindex={1} className={styles['head']}>
          {group.headers.map((header) => (
            <div
              key={header.id}
              role="columnheader"
              className={numeric.has(header.column.id) ? 'num' : undefined}
            >
              <table.FlexRender header={header} />
            </div>
          ))}
        </div>
      ))}
      <div
        role="rowgroup"
        style={{ height: virtual.getTotalSize(), minWidth: '72rem', position: 'relative' }}
      >
        {items.map((item) => {
          const row = model[item.index];
          if (row === undefined) return null;
          return (
            <div
              key={row.id}
              role="row"
              aria-rowindex={item.index + 2}
              data-turn={row.id}
              className={styles['line']}
              style={{ top: item.start }}
            >
              {row.getAllCells().map((cell) => (
                <div
                  key={cell.id}
                  role="cell"
                  className={numeric.has(cell.column.id) ? 'num' : undefined}
                >
                  <table.FlexRender cell={cell} />
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
};
