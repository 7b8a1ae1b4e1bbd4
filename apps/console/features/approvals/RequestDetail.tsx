'use client';

import Link from 'next/link';
import { shortId } from '../../lib/format.ts';
import { Diff } from '../../ui/Diff.tsx';
import { Foreign } from '../../ui/Foreign.tsx';
import { Id } from '../../ui/Id.tsx';
import { When } from '../../ui/When.tsx';
import { Answer } from './Answer.tsx';
import { Deadline } from './Deadline.tsx';
import { Decide } from './Decide.tsx';
import { deciderText, viewLines, type Request } from './approvals.logic.ts';
import { useDecision, type DecisionProblem } from './use-decision.ts';
import styles from './approvals.module.css';

/** One request: who asks, why a person is asked, and what exactly would run. */
export const RequestDetail = ({ row }: { readonly row: Request }) => {
  const decision = useDecision();
  return (
    <section className={`panel ${styles['detail']}`} aria-label="request">
      <div className="row">
        <h2 className="mono">{row.tool ?? `question of ${row.agent}`}</h2>
        <Id id={row.id} what="request" />
        <span className="push">
          {row.state === 'pending' ? <Deadline at={row.deadline} /> : null}
        </span>
      </div>
      <dl className="facts" style={{ marginTop: '0.5rem' }}>
        <dt>agent</dt>
        <dd>
          <Link href={`/agents/${row.agent}`}>{row.agent}</Link>, on {row.path} ({row.trigger})
        </dd>
        <dt>asked by</dt>
        <dd>{row.person ?? row.principal}</dd>
        <dt>asked</dt>
        <dd>
          <When at={row.askedAt} />, in turn{' '}
          <Link className="mono" href={`/turns/${row.turn}`}>
            {shortId(row.turn)}
          </Link>
        </dd>
        {row.why === null ? null : (
          <>
            <dt>why</dt>
            <dd>
              <Foreign>{row.why}</Foreign>
              {row.rule === null ? null : <span className="mono dim"> {row.rule}</span>}
            </dd>
          </>
        )}
      </dl>
      {row.view === null ? (
        <p className="dim">Your role does not show what is asked.</p>
      ) : (
        <div className={styles['view']} tabIndex={0} role="region" aria-label="what is asked">
          <Diff label="what is asked, as it would run" lines={viewLines(row.view)} />
        </div>
      )}
      <Problem problem={decision.problem} />
      {row.state !== 'pending' ? (
        <Outcome row={row} />
      ) : row.kind === 'question' ? (
        <Answer row={row} decision={decision} />
      ) : (
        <Decide row={row} decision={decision} />
      )}
    </section>
  );
};

const Problem = ({ problem }: { readonly problem: DecisionProblem | null }) =>
  problem === null ? null : (
    <p role="alert" className={styles['over']} style={{ margin: '0 0 0.5rem' }}>
      {problem.message}
      {problem.at === null ? null : (
        <>
          , <When at={problem.at} />
        </>
      )}
    </p>
  );

const Outcome = ({ row }: { readonly row: Request }) => (
  <div className={styles['outcome']} role="status" data-outcome={row.state}>
    <strong>{row.state}</strong> by {deciderText(row.decidedBy)}
    {row.decidedAt === null ? null : (
      <>
        {' '}
        <When at={row.decidedAt} />
      </>
    )}
    {row.reason === null ? null : (
      <>
        : <Foreign>{row.reason}</Foreign>
      </>
    )}
    {'. '}
    <Link href={`/turns/${row.turn}`}>See the turn</Link>
  </div>
);
