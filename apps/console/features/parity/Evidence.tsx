'use client';

import Link from 'next/link';
import { unifiedDiff, type ParityCellDetail } from '@lockstep/engine';
import { plural, shortId } from '../../lib/format.ts';
import { Diff } from '../../ui/Diff.tsx';
import { diffLines, prettyJson } from '../../ui/diff.logic.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { When } from '../../ui/When.tsx';
import { StateMark, stateClass } from './StateMark.tsx';
import styles from './parity.module.css';

type Entry = ParityCellDetail['evidence'][number];

/** What one agent's turns of one trigger say: live ones and those of probes apart, the values, and the events behind it. */
export const Evidence = ({ entry }: { readonly entry: Entry }) => (
  <div className={`panel ${styles['evidence']}`} data-evidence={`${entry.agent}.${entry.trigger}`}>
    <div className="row">
      <Link href={`/agents/${entry.agent}`}>{entry.agent}</Link>
      <span className="dim">by {entry.trigger}</span>
      <span
        className={`row ${stateClass(entry.state)} ${styles['bare']}`}
        style={{ gap: '0.375rem' }}
      >
        <StateMark state={entry.state} kind={entry.kind} />
      </span>
    </div>
    {entry.reason === undefined ? null : (
      <p style={{ margin: '0.375rem 0 0' }}>
        <Foreign>{entry.reason}</Foreign>
      </p>
    )}
    <dl className="facts" style={{ marginTop: '0.375rem' }}>
      <dt>live</dt>
      <dd>{countsText(entry.live)}</dd>
      <dt>probes</dt>
      <dd>{countsText(entry.probe)}</dd>
      <dt>seen</dt>
      <dd>
        {entry.firstSeen === null || entry.lastSeen === null ? (
          'never'
        ) : (
          <>
            first <When at={entry.firstSeen} />, last <When at={entry.lastSeen} />
          </>
        )}
      </dd>
      {entry.ended === null ? null : (
        <>
          <dt>earlier gap</dt>
          <dd>
            {entry.ended.kind}, over since <When at={entry.ended.ended} /> with build{' '}
            <span className="mono">{shortId(entry.ended.build)}</span>:{' '}
            <Foreign>{entry.ended.reason}</Foreign>
          </dd>
        </>
      )}
    </dl>
    <Values entry={entry} />
    <Events entry={entry} />
    {entry.turnIds.length === 0 ? null : (
      <details style={{ marginTop: '0.375rem' }}>
        <summary className="dim">{plural(entry.turnIds.length, 'turn')} to look at</summary>
        <ul style={{ margin: '0.25rem 0 0', paddingLeft: '1.125rem' }}>
          {entry.turnIds.map((id) => (
            <li key={id}>
              <Link className="mono" href={`/turns/${id}`}>
                {shortId(id)}
              </Link>{' '}
              <Link href={`/turns/${id}/replay`}>replay</Link>
            </li>
          ))}
        </ul>
      </details>
    )}
  </div>
);

const countsText = ({ turns, bites }: Entry['live']): string =>
  turns === 0
    ? 'no turn'
    : `${plural(turns, 'turn')}, ${bites === 0 ? 'and it never had to decide anything' : `in which it decided something ${plural(bites, 'time')}`}`;

/** What monitors say: objections first, then the events in which the setting decided. */
const Events = ({ entry }: { readonly entry: Entry }) => {
  const ordered = [...entry.events].sort(
    (a, b) => Number(b.what === 'objection') - Number(a.what === 'objection'),
  );
  return ordered.length === 0 ? null : (
    <ul style={{ margin: '0.5rem 0 0', paddingLeft: '1.125rem' }}>
      {ordered.map((event) => (
        <li key={`${event.id} ${event.what} ${event.note}`}>
          <span className={event.what === 'objection' ? stateClass('gap') : undefined}>
            {event.what}
          </span>
          : <Foreign>{event.note}</Foreign>{' '}
          <Link className="mono" href={`/turns/${event.turn}?event=${event.id}`}>
            turn {shortId(event.turn)}
          </Link>
        </li>
      ))}
    </ul>
  );
};

/** Triggers that nothing can start, folded with their reasons. */
export const Closed = ({ entries }: { readonly entries: readonly Entry[] }) =>
  entries.length === 0 ? null : (
    <details style={{ marginTop: '0.625rem' }}>
      <summary className="dim">{plural(entries.length, 'start')} not open here</summary>
      <ul style={{ margin: '0.25rem 0 0', paddingLeft: '1.125rem' }}>
        {entries.map((entry) => (
          <li key={`${entry.agent} ${entry.trigger}`}>
            {entry.agent} by {entry.trigger}
            {entry.reason === undefined ? '' : `: ${entry.reason}`}
          </li>
        ))}
      </ul>
    </details>
  );

const Values = ({ entry }: { readonly entry: Entry }) => {
  const expected = prettyJson(entry.expected);
  if (entry.seen === null || entry.seen === entry.expected)
    return (
      <details style={{ marginTop: '0.375rem' }}>
        <summary className="dim">
          {entry.seen === null ? 'expected; nothing was seen yet' : 'expected and seen are equal'}
        </summary>
        <pre className="text">{expected}</pre>
      </details>
    );
  return (
    <div style={{ marginTop: '0.5rem' }}>
      <p className="dim" style={{ margin: '0 0 0.25rem' }}>
        − expected, + seen
      </p>
      <Diff
        label="expected against seen"
        lines={diffLines(unifiedDiff(`${expected}\n`, `${prettyJson(entry.seen)}\n`))}
      />
    </div>
  );
};
