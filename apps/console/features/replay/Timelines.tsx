'use client';

import { useState } from 'react';
import { Button } from '@mantine/core';
import { plural } from '../../lib/format.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { Tone } from '../../ui/Tone.tsx';
import { When } from '../../ui/When.tsx';
import { Fields } from './Fields.tsx';
import { RowDrawer } from './RowDrawer.tsx';
import { drawnRows, type PairRow, type Pairing, type Side } from './replay.logic.ts';
import styles from './replay.module.css';

/** The recorded timeline and the other one, line beside line. */
export const Timelines = ({
  pairing,
  plain,
}: {
  readonly pairing: Pairing;
  /** Nothing was put in: it is this build against the record. */
  readonly plain: boolean;
}) => {
  const { get, set } = useQueryState();
  const place = get('row');
  const open = pairing.rows.find((row) => String(row.place) === place) ?? null;
  const onOpen = (row: PairRow): void => {
    set({ row: String(row.place) }, 'push');
  };
  return (
    <>
      <div className={styles['bar']}>
        <h2>Timelines</h2>
        {pairing.first === null ? (
          <span className="dim">
            {plural(pairing.rows.length, 'event')},{' '}
            {pairing.rows.every(({ state }) => state === 'same')
              ? 'all the same'
              : 'the same but for what was put in'}
          </span>
        ) : (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              document.getElementById('first-divergence')?.focus();
            }}
          >
            Go to the first divergence
          </Button>
        )}
        {pairing.horizon === null ? null : (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              document.getElementById('horizon')?.focus();
            }}
          >
            Go to the horizon
          </Button>
        )}
      </div>
      <div className={`panel ${styles['timelines']}`}>
        <div className={`${styles['pair']} ${styles['heads']}`} aria-hidden="true">
          <span>recorded</span>
          <span />
          <span>{plain ? 'replayed' : 'would be'}</span>
        </div>
        <ol className={styles['rows']} aria-label="timelines, line beside line">
          {drawnRows(pairing.rows).map((drawn) =>
            drawn.kind === 'fold' ? (
              <Fold key={drawn.rows[0]?.place} rows={drawn.rows} onOpen={onOpen} />
            ) : (
              <Line
                key={drawn.row.place}
                row={drawn.row}
                pairing={pairing}
                plain={plain}
                onOpen={onOpen}
              />
            ),
          )}
        </ol>
      </div>
      <RowDrawer
        row={open}
        onClose={() => {
          set({ row: null });
        }}
      />
    </>
  );
};

const Fold = ({
  rows,
  onOpen,
}: {
  readonly rows: readonly PairRow[];
  readonly onOpen: (row: PairRow) => void;
}) => {
  const [open, setOpen] = useState(false);
  if (open)
    return rows.map((row) => (
      <li key={row.place} data-state={row.state}>
        <Pair row={row} first={false} onOpen={onOpen} />
      </li>
    ));
  return (
    <li>
      <button
        type="button"
        className={styles['unfold']}
        onClick={() => {
          setOpen(true);
        }}
      >
        ▸ {plural(rows.length, 'event')} the same
      </button>
    </li>
  );
};

const Line = ({
  row,
  pairing,
  plain,
  onOpen,
}: {
  readonly row: PairRow;
  readonly pairing: Pairing;
  readonly plain: boolean;
  readonly onOpen: (row: PairRow) => void;
}) => (
  <>
    {row.place === pairing.horizon ? (
      <li id="horizon" tabIndex={-1} className={styles['horizon']} data-horizon={row.place}>
        <strong>{plain ? 'Where the replay stopped' : 'Counterfactual horizon'}</strong>{' '}
        {plain
          ? 'What follows is as recorded and was not compared.'
          : 'From here on the model would have been told something else. What follows is as recorded: shown, never counted.'}
      </li>
    ) : null}
    <li data-state={row.state} className={styles[row.state]}>
      <Pair row={row} first={row.place === pairing.first} onOpen={onOpen} />
      {row.place === pairing.first ? <Fields row={row} /> : null}
    </li>
  </>
);

const signs: Readonly<Record<PairRow['state'], readonly [sign: string, word: string]>> = {
  same: ['=', 'same'],
  differs: ['≠', 'differs'],
  beyond: ['', 'not judged'],
};

const Pair = ({
  row,
  first,
  onOpen,
}: {
  readonly row: PairRow;
  readonly first: boolean;
  readonly onOpen: (row: PairRow) => void;
}) => {
  const [sign, word] = signs[row.state];
  return (
    <button
      type="button"
      id={first ? 'first-divergence' : undefined}
      className={styles['pair']}
      onClick={() => {
        onOpen(row);
      }}
    >
      <Half side={row.recorded} which="recorded" />
      <span className={styles['sign']}>
        <span aria-hidden="true">{sign}</span>
        <span className="quiet">{first ? 'first divergence' : word}</span>
      </span>
      {row.state === 'beyond' ? (
        <span className={`dim ${styles['empty']}`}>not judged</span>
      ) : (
        <Half side={row.now} which="now" />
      )}
    </button>
  );
};

const Half = ({
  side,
  which,
}: {
  readonly side: Side | null;
  readonly which: 'recorded' | 'now';
}) =>
  side === null ? (
    <span className={`dim ${styles['empty']}`} data-side={which}>
      nothing stands here
    </span>
  ) : (
    <span className={styles['half']} data-side={which} data-type={side.type}>
      <span className="mono dim">{side.at === null ? null : <When at={side.at} as="clock" />}</span>
      <Tone tone={side.tone} />
      <span>
        <Foreign>{side.title}</Foreign>
        {side.detail === null ? null : (
          <>
            {' '}
            <Foreign className="dim">{side.detail}</Foreign>
          </>
        )}
        {side.rule === null ? null : <span className="mono dim"> {side.rule}</span>}
      </span>
    </span>
  );
