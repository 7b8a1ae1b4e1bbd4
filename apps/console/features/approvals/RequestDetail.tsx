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
import { deciderText, routeText, viewLines, votesText, type Request } from './approvals.logic.ts';
import { useDecision, type DecisionProblem } from './use-decision.ts';
import styles from './approvals.module.css';

/** One request: who asks, why a person is asked, and what exactly would run. */
export const RequestDetail = ({ row }: { readonly row: Request }) => {
  const decision = useDecision();
  return (
    <section className={`panel ${styles['detail']}`} aria-label="request">
      <div className="row">
        <h2 className="mono">{requestTitle(row)}</h2>
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
          <When at={row.askedAt} />,{' '}
          <Link href={placeOf(row)}>
            in {row.kind === 'gate' ? 'run' : 'turn'}{' '}
            <span className="mono">{shortId(row.turn)}</span>
          </Link>
        </dd>
        <dt>who decides</dt>
        <dd>
          {routeText(row.route)}
          {row.notBy === null ? null : (
            <>
              , but not <strong>{row.notBy}</strong>, who asked for the work (four eyes)
            </>
          )}
        </dd>
        {row.votes === null ? null : (
          <>
            <dt>votes</dt>
            <dd data-votes={row.votes.by.length}>{votesText(row.votes)}</dd>
          </>
        )}
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
      {row.cut ? (
        <p className={styles['soon']}>
          It is too long to be shown whole, so it cannot be approved as it stands: deny it, or edit
          its arguments.
        </p>
      ) : null}
      <p className="dim" style={{ margin: '0 0 0.5rem' }}>
        shown text <Id id={row.shown} what="shown text, its digest" />: a decision names it
      </p>
      <Problem problem={decision.problem} />
      {decision.note === null ? null : <p role="status">{decision.note}</p>}
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
    <Link href={placeOf(row)}>See the {row.kind === 'gate' ? 'run' : 'turn'}</Link>
  </div>
);

/** What is asked about, in a word or two. */
export const requestTitle = (row: Request): string => {
  if (row.kind === 'gate') return `gate before ${row.call}`;
  return row.tool ?? `question of ${row.agent}`;
};

const placeOf = (row: Request): string =>
  row.kind === 'gate' ? `/work?tab=procedures&run=${row.turn}` : `/turns/${row.turn}`;
