'use client';

import Link from 'next/link';
import { shortId } from '../../lib/format.ts';
import { withQuery } from '../../lib/query.ts';
import { useHolds } from '../../lib/session.tsx';
import { useResource } from '../../lib/use-snapshot.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { Tone } from '../../ui/Tone.tsx';
import { When } from '../../ui/When.tsx';
import { statusTone, type TurnPage } from '../turns/turns.logic.ts';
import styles from './parity.module.css';

const most = 6;

/** The newest turns that came in on other paths, each to be tried on this one. */
export const ReplayHere = ({
  agent,
  path,
}: {
  readonly agent: string | null;
  readonly path: string;
}) => {
  const may = useHolds('operator');
  const { resource } = useResource<TurnPage>(
    may ? withQuery('/v1/turns', { agent, limit: 50 }) : null,
    () => false,
  );
  const turns =
    resource.kind === 'ready'
      ? resource.value.items.filter((row) => row.path !== path).slice(0, most)
      : [];
  return turns.length === 0 ? null : (
    <section className={styles['section']} aria-label="replay on this path">
      <h3>Replay on this path</h3>
      <p className="dim" style={{ margin: '0 0 0.375rem' }}>
        Would a turn of another path have gone the same way here? Nothing is run.
      </p>
      <table className="list panel">
        <tbody>
          {turns.map((row) => (
            <tr key={row.id}>
              <td className="whole">
                <When at={row.startedAt} />
              </td>
              <td>{row.agent}</td>
              <td>{row.path}</td>
              <td>
                <Tone tone={statusTone[row.status]}>{row.status}</Tone>
              </td>
              <td>{row.input === null ? null : <Foreign>{row.input.slice(0, 60)}</Foreign>}</td>
              <td className="whole">
                <Link href={withQuery(`/turns/${row.id}/replay`, { path })}>
                  replay {shortId(row.id)} here
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};
