'use client';

import { JsonView } from '../../ui/JsonView.tsx';
import { Sheet } from '../../ui/Sheet.tsx';
import { Fields } from './Fields.tsx';
import type { PairRow } from './replay.logic.ts';

/** One line of both timelines: the fields that differ, and both events as JSON. */
export const RowDrawer = ({
  row,
  onClose,
}: {
  readonly row: PairRow | null;
  readonly onClose: () => void;
}) => (
  <Sheet opened={row !== null} onClose={onClose} title={titleOf(row)}>
    {row === null ? null : (
      <>
        <Fields row={row} />
        {row.recorded === null ? null : (
          <section aria-label="recorded">
            <h3>Recorded</h3>
            <JsonView value={row.recorded.fact} label="JSON as recorded" />
          </section>
        )}
        {row.state !== 'differs' || row.now === null ? null : (
          <section aria-label="now">
            <h3>Now</h3>
            <JsonView value={row.now.fact} label="JSON as it would be" />
          </section>
        )}
        {row.state === 'same' ? (
          <p className="dim">Both are the same, ids and times aside.</p>
        ) : null}
        {row.state === 'beyond' ? (
          <p className="dim">Beyond the horizon: nothing was judged here.</p>
        ) : null}
      </>
    )}
  </Sheet>
);

const titleOf = (row: PairRow | null): string => row?.recorded?.type ?? row?.now?.type ?? 'Event';
