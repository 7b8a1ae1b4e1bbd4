'use client';

import { SegmentedControl } from '@mantine/core';
import type { BacktestReport, VerdictChange } from '@lockstep/engine';
import Link from 'next/link';
import { countText, duration, plural, shortId } from '../../../lib/format.ts';
import { useQueryState } from '../../../lib/use-query-state.ts';
import { Foreign } from '../../../ui/Foreign.tsx';
import { Id } from '../../../ui/Id.tsx';
import { Empty } from '../../../ui/Notices.tsx';
import { When } from '../../../ui/When.tsx';
import { Changes } from './Changes.tsx';
import {
  approvalsText,
  changeKinds,
  changeMeans,
  changeWords,
  groupingOf,
  groupings,
  turnParts,
} from './backtest.logic.ts';
import styles from './backtest.module.css';

/** What a config would have done: in figures, by what, and each change with the way to its turn. */
export const Report = ({ report }: { readonly report: BacktestReport }) => {
  if (report.turns.all === 0)
    return (
      <Empty title="No turn of the log is like that">
        <p>Take a filter away, or let an agent work first.</p>
      </Empty>
    );
  return (
    <div data-backtest="done">
      <Figures report={report} />
      <Summary report={report} />
      <Groups report={report} />
      <Changes report={report} />
      <Unjudged report={report} />
      <Notes notes={report.notes} />
    </div>
  );
};

/** Each kind of change with its count; a press shows those alone. */
const Figures = ({ report: { verdicts } }: { readonly report: BacktestReport }) => {
  const { get, set } = useQueryState();
  const chosen = get('change');
  return (
    <div className={styles['figures']} role="group" aria-label="verdicts by change">
      {changeKinds.map((kind) => {
        const counted = kind === 'unchanged' || kind === 'beyond_horizon';
        const body = (
          <>
            <strong>{countText(verdicts[kind])}</strong>
            <span>{changeWords[kind]}</span>
          </>
        );
        const look = `${styles['figure']} ${styles[kind]} ${verdicts[kind] === 0 ? styles['zero'] : ''}`;
        return counted ? (
          <div key={kind} className={look} title={changeMeans[kind]} data-figure={kind}>
            {body}
          </div>
        ) : (
          <button
            key={kind}
            type="button"
            className={look}
            title={changeMeans[kind]}
            data-figure={kind}
            aria-pressed={chosen === kind}
            onClick={() => {
              set({ change: chosen === kind ? null : kind });
            }}
          >
            {body}
          </button>
        );
      })}
    </div>
  );
};

const Summary = ({ report }: { readonly report: BacktestReport }) => {
  const { wait } = report.approvals;
  return (
    <dl className={`panel facts ${styles['summary']}`}>
      <dt>turns</dt>
      <dd>
        {plural(report.turns.all, 'turn')}:{' '}
        {turnParts(report)
          .map(({ count, words }) => `${countText(count)} ${words}`)
          .join(', ')}
        {report.span === null ? null : (
          <span className="dim">
            {' '}
            (<When at={report.span.first} /> to <When at={report.span.last} />)
          </span>
        )}
      </dd>
      <dt>questions</dt>
      <dd>{approvalsText(report).join('; ')}</dd>
      <dt>answers took</dt>
      <dd>
        {wait === null ? (
          <span className="dim">nobody has answered one yet</span>
        ) : (
          <>
            {duration(wait.p50)} in the middle, {duration(wait.p90)} at nine of ten{' '}
            <span className="dim">({plural(wait.answers, 'answer')})</span>
          </>
        )}
      </dd>
      <dt>config</dt>
      <dd className="row">
        {report.config.version === null ? 'a draft' : `version ${report.config.version}`}
        <Id id={report.config.digest} what="config, its digest" />
      </dd>
    </dl>
  );
};

const Groups = ({ report }: { readonly report: BacktestReport }) => {
  const { get, set } = useQueryState();
  const by = groupingOf(get('by'));
  return (
    <section aria-label="by what" className={styles['section']}>
      <div className="filters">
        <h2>Verdicts by</h2>
        <SegmentedControl
          size="xs"
          aria-label="grouped by"
          data={[...groupings]}
          value={by}
          onChange={(value) => {
            set({ by: value === 'tool' ? null : value });
          }}
        />
      </div>
      <div className="panel scroll" tabIndex={0} role="region" aria-label={`verdicts by ${by}`}>
        <table className="list">
          <thead>
            <tr>
              <th scope="col">{by}</th>
              {changeKinds.map((kind) => (
                <th key={kind} scope="col" className="num" title={changeMeans[kind]}>
                  {changeWords[kind]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {report.by[by].map(({ name, counts }) => (
              <tr key={name} data-group={name}>
                <td className={`mono ${styles['name']}`}>
                  <Foreign>{name}</Foreign>
                </td>
                {changeKinds.map((kind) => (
                  <Count key={kind} kind={kind} count={counts[kind]} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
};

const Count = ({ kind, count }: { readonly kind: VerdictChange; readonly count: number }) => (
  <td className={`num ${count === 0 ? styles['zero'] : styles[kind]}`}>{countText(count)}</td>
);

const outcomeWords = {
  not_reachable: 'would not begin',
  stopped: 'lacks a recording',
  refused: 'is no history as it was recorded',
} as const;

const Unjudged = ({ report: { unjudged } }: { readonly report: BacktestReport }) =>
  unjudged.length === 0 ? null : (
    <details className={styles['section']}>
      <summary>{plural(unjudged.length, 'turn')} not compared</summary>
      <ul className={styles['plain']}>
        {unjudged.map(({ turn, outcome, why }) => (
          <li key={turn}>
            <Link className="mono" href={`/turns/${turn}`}>
              {shortId(turn)}
            </Link>{' '}
            {outcomeWords[outcome]}: <Foreign>{why}</Foreign>
          </li>
        ))}
      </ul>
    </details>
  );

const Notes = ({ notes }: { readonly notes: readonly string[] }) =>
  notes.length === 0 ? null : (
    <section aria-label="assumptions" className={styles['section']}>
      <h2>Taken as recorded</h2>
      <ul className={styles['plain']}>
        {notes.map((note) => (
          <li key={note} className="dim">
            {note}
          </li>
        ))}
      </ul>
    </section>
  );
