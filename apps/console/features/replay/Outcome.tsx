'use client';

import type { CounterfactualReport, CounterfactualStart, StepTone } from '@lockstep/engine';
import { duration, plural } from '../../lib/format.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { Tone } from '../../ui/Tone.tsx';
import { changeKinds, changeMeans, changeWords } from '../policy/backtest/backtest.logic.ts';
import { VerdictMark } from '../../ui/VerdictMark.tsx';
import { verdictCounts, type ReplayAnswer } from './replay.logic.ts';
import styles from './replay.module.css';

type Compared = Extract<CounterfactualReport, { outcome: 'compared' }>;

/** What became of the replay, in one line, with what follows from it. */
export const Outcome = ({ answer }: { readonly answer: ReplayAnswer }) => (
  <section
    aria-label="outcome"
    className={`panel ${styles['outcome']}`}
    data-outcome={answer.outcome}
  >
    <Line answer={answer} />
    {answer.outcome === 'compared' ? <Comparison report={answer} /> : null}
    {answer.outcome === 'refused' ? (
      <ul className={styles['plain']}>
        {answer.problems.map(({ where, message }) => (
          <li key={`${where} ${message}`}>
            <span className="mono">{where}</span>: {message}
          </li>
        ))}
      </ul>
    ) : null}
    <Notes answer={answer} />
  </section>
);

const Line = ({ answer }: { readonly answer: ReplayAnswer }) => {
  const [tone, said] = lineOf(answer);
  return (
    <p className={styles['line']} role="status">
      <Tone tone={tone} /> <Foreign>{said}</Foreign>
    </p>
  );
};

const lineOf = (answer: ReplayAnswer): readonly [tone: StepTone, said: string] => {
  switch (answer.outcome) {
    case 'same':
      return [
        'good',
        `This build makes the same ${plural(answer.events, 'event')}${answer.ended ? '' : '; the turn has not ended yet'}`,
      ];
    case 'diverged':
      return ['bad', `It differs after ${plural(answer.events, 'equal event')}: ${answer.why}`];
    case 'stopped':
      return ['waiting', `The replay stopped: the recording lacks ${answer.missing}`];
    case 'refused':
      return ['bad', 'This is no history as it was recorded'];
    case 'not_reachable':
      return ['refused', `The turn would not have begun: ${answer.why}`];
    case 'compared':
      return comparedLine(answer);
  }
};

const comparedLine = ({ verdicts, horizon, steps }: Compared): readonly [StepTone, string] => {
  const counts = verdictCounts(verdicts);
  const changed = changeKinds.filter((kind) => kind.startsWith('newly_') && counts[kind] > 0);
  if (changed.length > 0)
    return ['waiting', changed.map((kind) => `${counts[kind]} ${changeWords[kind]}`).join(', ')];
  if (horizon !== null) return ['waiting', 'Every judged verdict is the same; then it parts'];
  return steps.some(({ state }) => state === 'differs')
    ? ['good', 'Every verdict is the same, and the turn would have gone as it went']
    : ['good', 'Nothing would have been different'];
};

const Comparison = ({ report }: { readonly report: Compared }) => {
  const counts = verdictCounts(report.verdicts);
  return (
    <>
      <dl className="facts" style={{ marginTop: '0.5rem' }}>
        <dt>recorded</dt>
        <dd className="mono">{startText(report.recorded)}</dd>
        <dt>tried</dt>
        <dd className="mono">{startText(report.now)}</dd>
        <dt>verdicts</dt>
        <dd>
          {report.verdicts.length === 0
            ? 'no call was judged'
            : changeKinds
                .filter((kind) => counts[kind] > 0)
                .map((kind) => `${counts[kind]} ${changeWords[kind]}`)
                .join(', ')}
        </dd>
      </dl>
      <Policies report={report} />
      <Verdicts report={report} />
    </>
  );
};

const startText = ({ path, trigger, config }: CounterfactualStart): string =>
  `${path} (${trigger}), ${config.version === null ? 'a draft' : `config version ${config.version}`}`;

const Policies = ({ report: { policy } }: { readonly report: Compared }) =>
  policy.length === 0 ? null : (
    <details className={styles['fold']}>
      <summary>{plural(policy.length, 'setting')} of the policy would be another</summary>
      <ul className={styles['plain']}>
        {policy.map(({ key, recorded, now }) => (
          <li key={key}>
            <span className="mono">{key}</span>
            <div className={`mono ${styles['before']}`}>
              − <Foreign>{recorded}</Foreign>
            </div>
            <div className={`mono ${styles['after']}`}>
              + <Foreign>{now}</Foreign>
            </div>
          </li>
        ))}
      </ul>
    </details>
  );

const Verdicts = ({ report: { verdicts } }: { readonly report: Compared }) =>
  verdicts.length === 0 ? null : (
    <div
      className="scroll"
      tabIndex={0}
      role="region"
      aria-label="verdicts"
      style={{ marginTop: '0.5rem' }}
    >
      <table className="list">
        <thead>
          <tr>
            <th scope="col">tool</th>
            <th scope="col">recorded</th>
            <th scope="col">would be</th>
            <th scope="col">change</th>
            <th scope="col">answered by</th>
          </tr>
        </thead>
        <tbody>
          {verdicts.map((one) => (
            <tr key={one.call} data-verdict={one.change}>
              <td className="mono">
                <Foreign>{one.tool}</Foreign>
              </td>
              <td title={one.recorded.why}>
                <VerdictMark verdict={one.recorded.verdict} />{' '}
                <span className="mono dim">{one.recorded.key ?? one.recorded.rule}</span>
              </td>
              <td title={one.now?.why}>
                {one.now === null ? (
                  <span className="dim">not judged</span>
                ) : (
                  <>
                    <VerdictMark verdict={one.now.verdict} />{' '}
                    <span className="mono dim">{one.now.key ?? one.now.rule}</span>
                  </>
                )}
              </td>
              <td title={changeMeans[one.change]}>{changeWords[one.change]}</td>
              <td>
                {one.decidedBy === null ? (
                  <span className="dim">nobody</span>
                ) : (
                  <>
                    <Foreign>{one.decidedBy}</Foreign>
                    {one.waitedMs === null ? null : (
                      <span className="dim"> after {duration(one.waitedMs)}</span>
                    )}
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );

const Notes = ({ answer }: { readonly answer: ReplayAnswer }) => {
  const notes = 'notes' in answer ? (answer.notes ?? []) : [];
  return notes.length === 0 ? null : (
    <details className={styles['fold']}>
      <summary className="dim">{plural(notes.length, 'thing')} taken as recorded</summary>
      <ul className={styles['plain']}>
        {notes.map((note) => (
          <li key={note} className="dim">
            {note}
          </li>
        ))}
      </ul>
    </details>
  );
};
