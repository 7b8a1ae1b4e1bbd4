'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import type { TimelineStep } from '@lockstep/engine';
import { Foreign } from '../../ui/Foreign.tsx';
import { Empty } from '../../ui/Notices.tsx';
import { Tone } from '../../ui/Tone.tsx';
import { When } from '../../ui/When.tsx';
import styles from './turns.module.css';

/** The events of a turn as a person reads them; each opens to its JSON. `below` is what hangs below a step. */
export const Timeline = ({
  steps,
  onOpen,
  below,
}: {
  readonly steps: readonly TimelineStep[];
  readonly onOpen: (event: string) => void;
  readonly below: (step: TimelineStep) => ReactNode;
}) => {
  if (steps.length === 0)
    return (
      <Empty title="This turn has not begun">
        <p>It waits in its session until the turn before it has ended.</p>
      </Empty>
    );
  return (
    <ol className={`panel ${styles['steps']}`} aria-label="timeline">
      {steps.map((step) => (
        <li key={step.event} data-type={step.type} data-tone={step.tone}>
          <Step
            step={step.type === 'ChildTurnLinked' ? { ...step, detail: null } : step}
            onOpen={onOpen}
          />
          {below(step)}
          {isAsked(step) && step.approval !== null ? (
            <p style={{ margin: '0 0 0.375rem 7.5rem' }}>
              <Link href={`/approvals?id=${step.approval}`}>open the request</Link>
            </p>
          ) : null}
        </li>
      ))}
    </ol>
  );
};

const isAsked = ({ type }: TimelineStep): boolean =>
  type === 'ApprovalRequested' || type === 'QuestionAsked';

const Step = ({
  step,
  onOpen,
}: {
  readonly step: TimelineStep;
  readonly onOpen: (event: string) => void;
}) => (
  <button
    type="button"
    className={styles['step']}
    onClick={() => {
      onOpen(step.event);
    }}
  >
    <span className="mono dim">
      <When at={step.at} as="clock" />
    </span>
    <Tone tone={step.tone} />
    <span>
      <span className={styles[step.tone]}>
        <Foreign>{step.title}</Foreign>
      </span>
      {step.detail === null ? null : (
        <>
          {' '}
          <span className="dim">
            <Foreign>{step.detail}</Foreign>
          </span>
        </>
      )}
    </span>
    {step.rule === null ? (
      <span />
    ) : (
      <span className={styles['rule']}>
        <span>{step.rule}</span>
        {step.pattern === null ? null : (
          <span className="dim">
            <Foreign>{step.pattern}</Foreign>
          </span>
        )}
      </span>
    )}
  </button>
);
