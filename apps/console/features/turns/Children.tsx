'use client';

import Link from 'next/link';
import { useState } from 'react';
import type { FoldedTurn } from '@lockstep/engine';
import { countText, duration } from '../../lib/format.ts';
import { withQuery } from '../../lib/query.ts';
import { useNow } from '../../lib/use-now.ts';
import { useSnapshot } from '../../lib/use-snapshot.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { Id } from '../../ui/Id.tsx';
import { Failed, Loading } from '../../ui/Notices.tsx';
import { Tone } from '../../ui/Tone.tsx';
import { Timeline } from './Timeline.tsx';
import { foldChildren } from './family.logic.ts';
import { foldOneTurn, statusTone, type ShownRow, type TurnPage } from './turns.logic.ts';
import styles from './turns.module.css';

type Linked = FoldedTurn['children'][number];

/** The turns that one turn started, live: their rows by id. Asked for only where there are any. */
const useChildRows = (
  parent: string,
  children: readonly Linked[],
): ReadonlyMap<string, ShownRow> => {
  const { resource } = useSnapshot<TurnPage>(
    children.length === 0 ? null : withQuery('/v1/turns', { parent, limit: 500 }),
    foldChildren(parent),
  );
  if (resource.kind !== 'ready') return new Map();
  return new Map(resource.value.items.map((row) => [row.id, row]));
};

/** A timeline with what hangs below each of its steps. */
export const FamilyTimeline = ({
  turn,
  onOpen,
}: {
  readonly turn: FoldedTurn;
  readonly onOpen: (event: string, of: string) => void;
}) => {
  const rows = useChildRows(turn.row.id, turn.children);
  const byEvent = new Map(turn.children.map((child) => [child.event, child]));
  return (
    <Timeline
      steps={turn.steps}
      onOpen={(event) => {
        onOpen(event, turn.row.id);
      }}
      below={(step) => {
        const child = byEvent.get(step.event);
        return child === undefined ? null : (
          <Child child={child} row={rows.get(child.turn)} onOpen={onOpen} />
        );
      }}
    />
  );
};

/** One turn below: who works on it, how it stands, and its own steps once it is opened. */
const Child = ({
  child,
  row,
  onOpen,
}: {
  readonly child: Linked;
  readonly row: ShownRow | undefined;
  readonly onOpen: (event: string, of: string) => void;
}) => {
  const [open, setOpen] = useState(false);
  return (
    <div className={styles['child']} data-child={child.turn}>
      <div className="row">
        <button
          type="button"
          className={styles['unfold']}
          aria-expanded={open}
          aria-label={`steps of the turn of ${child.agent}`}
          onClick={() => {
            setOpen(!open);
          }}
        >
          <span aria-hidden="true">{open ? '▾' : '▸'}</span> {child.agent}
        </button>
        {row === undefined ? null : <RowFacts row={row} />}
        {child.background ? <span className="dim">in the background</span> : null}
        <Link href={`/turns/${child.turn}`}>open the turn</Link>
        <Id id={child.turn} what="turn" />
      </div>
      {open ? <Below id={child.turn} onOpen={onOpen} /> : null}
    </div>
  );
};

const RowFacts = ({ row }: { readonly row: ShownRow }) => {
  const now = useNow();
  return (
    <>
      <span data-status={row.status}>
        <Tone tone={statusTone[row.status]}>{row.status}</Tone>
      </span>
      <span className="dim">
        {row.path} ({row.trigger}), {duration(Math.max((row.endedAt ?? now) - row.startedAt, 0))},{' '}
        {countText(row.tokens)} tokens
      </span>
    </>
  );
};

const Below = ({
  id,
  onOpen,
}: {
  readonly id: string;
  readonly onOpen: (event: string, of: string) => void;
}) => {
  const { resource, reload } = useSnapshot<FoldedTurn>(
    `/v1/turns/${encodeURIComponent(id)}`,
    foldOneTurn,
  );
  if (resource.kind === 'loading') return <Loading what="the turn below" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  const row: ShownRow = resource.value.row;
  return (
    <div className={styles['below']}>
      <p className="cut" style={{ margin: '0.25rem 0' }}>
        <span className="dim">input</span>{' '}
        {row.input === null ? (
          <span className="dim">not shown</span>
        ) : (
          <Foreign>{row.input}</Foreign>
        )}
      </p>
      <FamilyTimeline turn={resource.value} onOpen={onOpen} />
    </div>
  );
};
