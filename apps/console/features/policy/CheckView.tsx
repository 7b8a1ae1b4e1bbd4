'use client';

import { plural } from '../../lib/format.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { Tone } from '../../ui/Tone.tsx';
import { Loading } from '../../ui/Notices.tsx';
import { placeText, type CheckAnswer, type ConfigProblem } from './editor/problems.logic.ts';
import type { Checked } from './use-check.ts';
import styles from './policy.module.css';

/** What the daemon finds in a text: its problems, each with the way to its place, and what it would change. */
export const CheckView = ({
  checked,
  pending,
  inForce,
  onGo,
}: {
  readonly checked: Checked | null;
  /** The text has changed since. */
  readonly pending: boolean;
  readonly inForce: string;
  readonly onGo: (problem: ConfigProblem) => void;
}) => {
  if (checked === null) return <Loading what="what the daemon finds" />;
  const { answer, problem } = checked;
  if (answer === null) return <p role="alert">It could not be checked: {problem}</p>;
  return (
    <>
      <section aria-label="check" aria-busy={pending} data-checked={verdictOf(answer, pending)}>
        <h2>
          <span role="status">
            <Verdict answer={answer} pending={pending} same={answer.digest === inForce} />
          </span>
        </h2>
        <Problems answer={answer} onGo={onGo} />
      </section>
      {answer.ok && answer.diff.length > 0 ? <Changes answer={answer} /> : null}
    </>
  );
};

const verdictOf = (answer: CheckAnswer, pending: boolean): string => {
  if (pending) return 'pending';
  return answer.ok ? 'good' : 'bad';
};

const Verdict = ({
  answer,
  pending,
  same,
}: {
  readonly answer: CheckAnswer;
  readonly pending: boolean;
  readonly same: boolean;
}) => {
  if (pending) return <span className="dim">checking …</span>;
  if (!answer.ok)
    return (
      <Tone tone="bad">{plural(answer.problems.length, 'problem')}: it cannot be applied</Tone>
    );
  return <Tone tone="good">{same ? 'It says what is in force' : 'It can be applied'}</Tone>;
};

const Problems = ({
  answer: { problems, warnings },
  onGo,
}: {
  readonly answer: CheckAnswer;
  readonly onGo: (problem: ConfigProblem) => void;
}) => {
  const all = [
    ...problems.map((problem) => ['error', problem] as const),
    ...warnings.map((problem) => ['warning', problem] as const),
  ];
  return all.length === 0 ? null : (
    <ul className={`panel ${styles['problems']}`} aria-label="problems">
      {all.map(([severity, problem]) => (
        <li key={`${severity} ${problem.path} ${problem.line ?? ''} ${problem.message}`}>
          <button
            type="button"
            className={styles['problem']}
            onClick={() => {
              onGo(problem);
            }}
          >
            <span aria-hidden="true" className={styles[severity]}>
              {severity === 'error' ? '✕' : '▲'}
            </span>
            <span>
              <span className="quiet">{severity}</span>{' '}
              <span className="dim">{placeText(problem)}:</span>{' '}
              <Foreign>{problem.message}</Foreign>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
};

const Changes = ({ answer: { diff, widens } }: { readonly answer: CheckAnswer }) => {
  const wide = new Set(widens);
  return (
    <section aria-label="what it changes">
      <h2>It changes {plural(diff.length, 'value')}</h2>
      <ul className={`panel ${styles['changes']}`}>
        {diff.map(({ path, before, after }) => (
          <li key={path}>
            <span className="mono">{path}</span>
            {wide.has(path) ? <span className={styles['widened']}> grants more</span> : null}
            <div className={`mono ${styles['before']}`}>
              − <Foreign>{before ?? 'not set'}</Foreign>
            </div>
            <div className={`mono ${styles['after']}`}>
              + <Foreign>{after ?? 'not set'}</Foreign>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
};
