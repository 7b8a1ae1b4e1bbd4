'use client';

import Link from 'next/link';
import { useState } from 'react';
import { Button } from '@mantine/core';
import type { BacktestChange, BacktestReport, VerdictSeen } from '@lockstep/engine';
import { plural, shortId } from '../../../lib/format.ts';
import { withQuery } from '../../../lib/query.ts';
import { useQueryState } from '../../../lib/use-query-state.ts';
import { Foreign } from '../../../ui/Foreign.tsx';
import { When } from '../../../ui/When.tsx';
import { VerdictMark } from '../../../ui/VerdictMark.tsx';
import { changesOf, changeWords } from './backtest.logic.ts';
import styles from './backtest.module.css';

const step = 100;

/** The calls whose verdict would be another, each with its turn and with the replay that shows it. */
export const Changes = ({ report }: { readonly report: BacktestReport }) => {
  const { get } = useQueryState();
  const [most, setMost] = useState(step);
  const kind = get('change');
  const changes = changesOf(report, kind);
  return (
    <section aria-label="changes" className={styles['section']}>
      <h2>
        {kind === null
          ? 'Calls with another verdict'
          : `Calls ${changeWords[kind as 'newly_asked']}`}
      </h2>
      {changes.length === 0 ? (
        <p className="dim">{report.more === 0 ? 'None.' : 'None among those that are listed.'}</p>
      ) : (
        <div className="panel scroll" tabIndex={0} role="region" aria-label="list of changes">
          <table className="list">
            <thead>
              <tr>
                <th scope="col">when</th>
                <th scope="col">agent</th>
                <th scope="col">path</th>
                <th scope="col">tool</th>
                <th scope="col">person</th>
                <th scope="col">recorded</th>
                <th scope="col">would be</th>
                <th scope="col">turn</th>
                <th scope="col">see it</th>
              </tr>
            </thead>
            <tbody>
              {changes.slice(0, most).map((change) => (
                <Row key={`${change.turn} ${change.call} ${change.position}`} change={change} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className="row" style={{ marginTop: '0.5rem' }}>
        {changes.length <= most ? null : (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              setMost(most + step);
            }}
          >
            More changes
          </Button>
        )}
        {report.more === 0 ? null : (
          <span className="dim">
            {plural(report.more, 'further change')} counted above, not listed: take a narrower
            backtest to see them.
          </span>
        )}
      </div>
    </section>
  );
};

const Row = ({ change }: { readonly change: BacktestChange }) => {
  const { get } = useQueryState();
  return (
    <tr data-change={change.change} data-of={change.turn}>
      <td className="whole">
        <When at={change.time} />
      </td>
      <td>
        <Link href={`/agents/${change.agent}`}>{change.agent}</Link>
      </td>
      <td>{change.path}</td>
      <td className={`mono ${styles['name']}`}>
        <Foreign>{change.tool}</Foreign>
      </td>
      <td>
        <Foreign>{change.person}</Foreign>
      </td>
      <Verdict seen={change.recorded} />
      <Verdict seen={change.now} />
      <td>
        <Link className="mono" href={`/turns/${change.turn}`}>
          {shortId(change.turn)}
        </Link>
      </td>
      <td>
        <Link
          href={withQuery(`/turns/${change.turn}/replay`, { config: get('config') ?? 'draft' })}
        >
          replay
        </Link>
      </td>
    </tr>
  );
};

const Verdict = ({ seen }: { readonly seen: VerdictSeen }) => (
  <td title={seen.why} className="whole">
    <VerdictMark verdict={seen.verdict} /> <span className="mono dim">{seen.key ?? seen.rule}</span>
  </td>
);
