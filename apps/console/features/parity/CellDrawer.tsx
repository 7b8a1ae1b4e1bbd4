'use client';

import type { LockstepEvent, ParityCellDetail } from '@lockstep/engine';
import { withQuery } from '../../lib/query.ts';
import { useResource } from '../../lib/use-snapshot.ts';
import { Failed, Loading } from '../../ui/Notices.tsx';
import { Sheet } from '../../ui/Sheet.tsx';
import { When } from '../../ui/When.tsx';
import { Closed, Evidence } from './Evidence.tsx';
import { Probe } from './Probe.tsx';
import { ReplayHere } from './ReplayHere.tsx';
import { StateMark, stateClass } from './StateMark.tsx';
import { stateLooks } from './parity.logic.ts';
import styles from './parity.module.css';

/** One cell, opened: what was expected, what was seen, and the events that say so. */
export const CellDrawer = ({
  cell,
  agent,
  version,
  onClose,
}: {
  readonly cell: string | null;
  readonly agent: string | null;
  readonly version: string | null;
  readonly onClose: () => void;
}) => {
  const [setting = '', path = ''] = cell?.split(':') ?? [];
  return (
    <Sheet opened={cell !== null} onClose={onClose} title={`${setting} on ${path}`}>
      {cell === null ? null : (
        <Cell key={cell} setting={setting} path={path} agent={agent} version={version} />
      )}
    </Sheet>
  );
};

const ofTurn = (event: LockstepEvent): boolean =>
  event.stream.startsWith('turn-') ||
  event.stream.startsWith('probe-') ||
  event.stream === 'config';

const Cell = ({
  setting,
  path,
  agent,
  version,
}: {
  readonly setting: string;
  readonly path: string;
  readonly agent: string | null;
  readonly version: string | null;
}) => {
  const { resource, reload } = useResource<ParityCellDetail>(
    withQuery(`/v1/parity/cells/${encodeURIComponent(setting)}/${encodeURIComponent(path)}`, {
      agent,
      version,
    }),
    ofTurn,
  );
  if (resource.kind === 'loading') return <Loading what="the cell" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  const { cell, explain, evidence, path: whole } = resource.value;
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
      <Probe agent={agent} path={whole} setting={setting} onDone={reload} />
      <Triggers detail={resource.value} />
      <section className={styles['section']}>
        <h3>Evidence by agent</h3>
        {evidence.length === 0 ? (
          <p className="dim">Nothing was expected of any agent here.</p>
        ) : null}
        {evidence
          .filter(({ state }) => state !== 'n/a')
          .map((entry) => (
            <Evidence key={`${entry.agent} ${entry.trigger}`} entry={entry} />
          ))}
        <Closed entries={evidence.filter(({ state }) => state === 'n/a')} />
      </section>
      <ReplayHere agent={agent} path={whole} />
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
            live turns
          </th>
          <th scope="col" className="num">
            decided
          </th>
          <th scope="col" className="num">
            of probes
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
            <td className="num">{one.turns - one.probes}</td>
            <td className="num">{one.bites.live}</td>
            <td className="num">
              {one.probes} / {one.bites.probe}
            </td>
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
