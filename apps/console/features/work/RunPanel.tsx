'use client';

import Link from 'next/link';
import type { SopStepRow } from '@lockstep/engine';
import { duration, shortId } from '../../lib/format.ts';
import { CancelButton } from '../../ui/CancelButton.tsx';
import { Foreign } from '../../ui/Foreign.tsx';
import { Id } from '../../ui/Id.tsx';
import { Tone } from '../../ui/Tone.tsx';
import { When } from '../../ui/When.tsx';
import { progressText, sopTone, stepText, stepTone, type ShownRun } from './work.logic.ts';
import styles from './work.module.css';

/** One run: how it stands, who started it, and once opened each of its steps. */
export const RunPanel = ({
  run,
  open,
  onToggle,
}: {
  readonly run: ShownRun;
  readonly open: boolean;
  readonly onToggle: (id: string) => void;
}) => (
  <section className={`panel ${styles['run']}`} data-run={run.id} aria-label={`run of ${run.sop}`}>
    <div className="row">
      <button
        type="button"
        className={styles['unfold']}
        aria-expanded={open}
        onClick={() => {
          onToggle(run.id);
        }}
      >
        <span aria-hidden="true">{open ? '▾' : '▸'}</span> {run.sop}
      </button>
      <span data-run-status={run.status}>
        <Tone tone={sopTone[run.status]}>{run.status}</Tone>
      </span>
      <span className="dim">
        {progressText(run)}, {run.live ? 'inside a turn' : `started by ${run.trigger}`} for {run.by}
        , <When at={run.startedAt} />
        {run.endedAt === null ? '' : `, took ${duration(run.endedAt - run.startedAt)}`}, config
        version {run.configVersion}
      </span>
      {run.parent === null ? null : <Link href={`/turns/${run.parent.turn}`}>parent turn</Link>}
      <Id id={run.id} what="run" />
      {run.endedAt === null ? (
        <span className="push row">
          <CancelButton path={`/v1/sops/runs/${encodeURIComponent(run.id)}/cancel`}>
            Cancel the run
          </CancelButton>
        </span>
      ) : null}
    </div>
    {run.failure === null ? null : (
      <p style={{ margin: '0.375rem 0 0' }}>
        <Tone tone="bad">{run.failure.code.replaceAll('_', ' ')}</Tone>{' '}
        <Foreign>{run.failure.message}</Foreign>
      </p>
    )}
    {open ? <Opened run={run} /> : null}
  </section>
);

const Opened = ({ run }: { readonly run: ShownRun }) => (
  <>
    <dl className="facts" style={{ margin: '0.5rem 0' }}>
      <dt>input</dt>
      <dd>
        {run.input === null ? (
          <span className="dim">not shown to your role</span>
        ) : (
          <Foreign>{run.input}</Foreign>
        )}
      </dd>
      {run.output === null ? null : (
        <>
          <dt>output</dt>
          <dd>
            <Foreign>{run.output}</Foreign>
          </dd>
        </>
      )}
    </dl>
    <div className="scroll" tabIndex={0} role="region" aria-label={`steps of ${run.sop}`}>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">step</th>
            <th scope="col">agent</th>
            <th scope="col">state</th>
            <th scope="col">took</th>
            <th scope="col">turns</th>
            <th scope="col">why</th>
          </tr>
        </thead>
        <tbody>
          {run.steps.map((step) => (
            <Step key={step.name} step={step} />
          ))}
        </tbody>
      </table>
    </div>
  </>
);

const Step = ({ step }: { readonly step: SopStepRow }) => (
  <tr data-step={step.name} data-state={step.state}>
    <td className="mono">{step.name}</td>
    <td>
      <Link href={`/agents/${step.agent}`}>{step.agent}</Link>
    </td>
    <td>
      <Tone tone={stepTone(step.state)}>{stepText(step.state)}</Tone>{' '}
      {step.gate === null ? null : <Link href={`/approvals?id=${step.gate}`}>gate</Link>}
    </td>
    <td className="mono">
      {step.startedAt === null || step.endedAt === null
        ? ''
        : duration(step.endedAt - step.startedAt)}
    </td>
    <td>
      <span className="row mono">
        {step.turns.map((turn) => (
          <Link key={turn} href={`/turns/${turn}`}>
            {shortId(turn)}
          </Link>
        ))}
      </span>
    </td>
    <td>{step.why === null ? null : <Foreign>{step.why}</Foreign>}</td>
  </tr>
);
