'use client';

import type { TurnDetail } from '@lockstep/engine';
import { Id } from '../../ui/Id.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import { Empty } from '../../ui/Notices.tsx';
import { snapshotRows } from './turn-policy.logic.ts';
import styles from './turns.module.css';

/** The policy that the turn ran under, where each value came from, and what narrowed it. */
export const TurnPolicy = ({ policy }: { readonly policy: TurnDetail['policy'] }) => {
  if (policy === null)
    return (
      <Empty title="No policy was resolved">
        <p>The turn was refused before, or has not begun.</p>
      </Empty>
    );
  const narrowed = new Set<string>(policy.narrowedSince);
  return (
    <>
      <p className="row dim">
        policy <Id id={policy.digest} what="policy, its digest" /> from config version{' '}
        {policy.config.version} <Id id={policy.config.digest} what="config, its digest" />
      </p>
      <div className="panel scroll" tabIndex={0} role="region" aria-label="settings of the policy">
        <table className="list">
          <thead>
            <tr>
              <th scope="col">setting</th>
              <th scope="col">value</th>
              <th scope="col">from</th>
            </tr>
          </thead>
          <tbody>
            {snapshotRows(policy).map((row) => (
              <tr key={row.key}>
                <td className="mono">{row.key}</td>
                <td className="mono foreign">
                  {row.value}
                  {narrowed.has(row.key) ? <strong> narrowed while it ran</strong> : null}
                </td>
                <td className="dim">{row.from}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {policy.narrowings.length === 0 ? null : (
        <div className={`panel ${styles['narrowed']}`}>
          <h2>Narrowings</h2>
          <ul style={{ margin: '0.375rem 0 0', paddingLeft: '1.125rem' }}>
            {policy.narrowings.map((one) => (
              <li key={`${one.whose} ${one.why}`}>
                {one.whose}: {one.why}
                {one.values === 'none' ? (
                  <span className="dim"> (narrows nothing)</span>
                ) : (
                  <JsonView value={one.values} label={`values of ${one.whose}`} />
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
};
