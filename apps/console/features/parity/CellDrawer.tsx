'use client';

import Link from 'next/link';
import { unifiedDiff, type LockstepEvent, type ParityCellDetail } from '@lockstep/engine';
import { plural, shortId } from '../../lib/format.ts';
import { useResource } from '../../lib/use-snapshot.ts';
import { Diff } from '../../ui/Diff.tsx';
import { diffLines, prettyJson } from '../../ui/diff.logic.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { Failed, Loading } from '../../ui/Notices.tsx';
import { Sheet } from '../../ui/Sheet.tsx';
import { When } from '../../ui/When.tsx';
import { StateMark, stateClass } from './StateMark.tsx';
import { stateLooks } from './parity.logic.ts';
import styles from './parity.module.css';

/** One cell, opened: what was expected, what was seen, and the events that say so. */
export const CellDrawer = ({
  cell,
  agent,
  onClose,
}: {
  readonly cell: string | null;
  readonly agent: string | null;
  readonly onClose: () => void;
}) => {
  const [setting = '', path = ''] = cell?.split(':') ?? [];
  return (
    <Sheet opened={cell !== null} onClose={onClose} title={`${setting} on ${path}`}>
      {cell === null ? null : <Cell key={cell} setting={setting} path={path} agent={agent} />}
    </Sheet>
  );
};

const ofTurn = (event: LockstepEvent): boolean =>
  event.stream.startsWith('turn-') || event.stream === 'config';

const Cell = ({
  setting,
  path,
  agent,
}: {
  readonly setting: string;
  readonly path: string;
  readonly agent: string | null;
}) => {
  const { resource, reload } = useResource<ParityCellDetail>(
    `/v1/parity/cells/${encodeURIComponent(setting)}/${encodeURIComponent(path)}`,
    ofTurn,
  );
  if (resource.kind === 'loading') return <Loading what="the cell" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  const { cell, explain, evidence } = resource.value;
  const shown = evidence.filter((entry) => agent === null || entry.agent === agent);
  return (
    <>
      <p>{explain}</p>
      <p className="row">
        <span
          className={`${styles['chip']} ${stateClass(cell.state)}`}
          style={{ cursor: 'default' }}
        >
          <StateMark state={cell.state} kind={cell.kind} />
        </span>
        <span>{cell.reason ?? stateLooks[cell.state].means}</span>
        {cell.since === null ? null : (
          <span className="dim">since config version {cell.since}</span>
        )}
      </p>
      <Triggers detail={resource.value} />
      <section className={styles['section']}>
        <h3>Evidence by agent</h3>
        {shown.length === 0 ? <p className="dim">Nothing was expected of any agent here.</p> : null}
        {shown
          .filter(({ state }) => state !== 'n/a')
          .map((entry) => (
            <Evidence key={`${entry.agent} ${entry.trigger}`} entry={entry} />
          ))}
        <Closed entries={shown.filter(({ state }) => state === 'n/a')} />
      </section>
    </>
  );
};

const Triggers = ({ detail }: { readonly detail: ParityCellDetail }) => (
  <section className={styles['section']}>
    <h3>Triggers of this path</h3>
    <table className="list panel">
      <thead>
        <tr>
          <th scope="col">trigger</th>
          <th scope="col">state</th>
          <th scope="col" className="num">
            turns
          </th>
          <th scope="col">last seen</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(detail.cell.triggers).map(([trigger, one]) => (
          <tr key={trigger}>
            <td className="mono">{trigger}</td>
            <td>
              <span
                className={`row ${stateClass(one.state)} ${styles['bare']}`}
                style={{ gap: '0.375rem' }}
              >
                <StateMark state={one.state} kind={one.kind} />
              </span>
              {one.reason === undefined ? null : <div className="dim">{one.reason}</div>}
            </td>
            <td className="num">{one.turns}</td>
            <td>
              {one.lastSeen === null ? (
                <span className="dim">never</span>
              ) : (
                <When at={one.lastSeen} />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

/** Triggers that nothing can start, folded with their reasons. */
const Closed = ({ entries }: { readonly entries: readonly Entry[] }) =>
  entries.length === 0 ? null : (
    <details style={{ marginTop: '0.625rem' }}>
      <summary className="dim">{plural(entries.length, 'start')} not open here</summary>
      <ul style={{ margin: '0.25rem 0 0', paddingLeft: '1.125rem' }}>
        {entries.map((entry) => (
          <li key={`${entry.agent} ${entry.trigger}`}>
            {entry.agent} by {entry.trigger}
            {entry.reason === undefined ? '' : `: ${entry.reason}`}
          </li>
        ))}
      </ul>
    </details>
  );

type Entry = ParityCellDetail['evidence'][number];

const Evidence = ({ entry }: { readonly entry: Entry }) => (
  <div className={`panel ${styles['evidence']}`}>
    <div className="row">
      <Link href={`/agents/${entry.agent}`}>{entry.agent}</Link>
      <span className="dim">by {entry.trigger}</span>
      <span
        className={`row ${stateClass(entry.state)} ${styles['bare']}`}
        style={{ gap: '0.375rem' }}
      >
        <StateMark state={entry.state} kind={entry.kind} />
      </span>
      <span className="dim push">
        {plural(entry.turns, 'turn')}, decided something {plural(entry.bites, 'time')}
        {entry.lastSeen === null ? null : (
          <>
            , last <When at={entry.lastSeen} />
          </>
        )}
      </span>
    </div>
    {entry.reason === undefined ? null : <p style={{ margin: '0.375rem 0 0' }}>{entry.reason}</p>}
    <Values entry={entry} />
    {entry.events.length === 0 ? null : (
      <ul style={{ margin: '0.5rem 0 0', paddingLeft: '1.125rem' }}>
        {entry.events.map((event) => (
          <li key={`${event.id} ${event.what} ${event.note}`}>
            <span className={event.what === 'objection' ? stateClass('gap') : undefined}>
              {event.what}
            </span>
            : <Foreign>{event.note}</Foreign>{' '}
            <Link className="mono" href={`/turns/${event.turn}?event=${event.id}`}>
              turn {shortId(event.turn)}
            </Link>
          </li>
        ))}
      </ul>
    )}
    {entry.turnIds.length === 0 ? null : (
      <details style={{ marginTop: '0.375rem' }}>
        <summary className="dim">turns seen</summary>
        <p className="row mono" style={{ margin: '0.25rem 0 0' }}>
          {entry.turnIds.map((id) => (
            <Link key={id} href={`/turns/${id}`}>
              {shortId(id)}
            </Link>
          ))}
        </p>
      </details>
    )}
  </div>
);

const Values = ({ entry }: { readonly entry: Entry }) => {
  const expected = prettyJson(entry.expected);
  if (entry.seen === null || entry.seen === entry.expected)
    return (
      <details style={{ marginTop: '0.375rem' }}>
        <summary className="dim">
          {entry.seen === null ? 'expected; nothing was seen yet' : 'expected and seen are equal'}
        </summary>
        <pre className="text">{expected}</pre>
      </details>
    );
  return (
    <div style={{ marginTop: '0.5rem' }}>
      <p className="dim" style={{ margin: '0 0 0.25rem' }}>
        − expected, + seen
      </p>
      <Diff
        label="expected against seen"
        lines={diffLines(unifiedDiff(`${expected}\n`, `${prettyJson(entry.seen)}\n`))}
      />
    </div>
  );
};
