'use client';

import Link from 'next/link';
import { useCallback, useEffect, useState } from 'react';
import { Button } from '@mantine/core';
import { getJson, messageOf, sendJson } from '../../lib/api.ts';
import { plural, shortId } from '../../lib/format.ts';
import { useHolds } from '../../lib/session.tsx';
import { Foreign } from '../../ui/Foreign.tsx';
import { When } from '../../ui/When.tsx';
import { concernsCell, progressOf, type ProbeRun } from './probe.logic.ts';
import styles from './parity.module.css';

const askAgainMs = 1000;

/** Tries to break a setting on a path, on demand. Nothing of it reaches anybody: it runs in a daemon of its own. */
export const Probe = ({
  agent,
  path,
  setting,
  onDone,
}: {
  /** Null = every agent. */
  readonly agent: string | null;
  readonly path: string;
  readonly setting: string;
  readonly onDone: () => void;
}) => {
  const may = useHolds('operator');
  const [run, setRun] = useState<ProbeRun | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const read = useCallback(async (): Promise<void> => {
    const runs = await getJson<{ readonly items: readonly ProbeRun[] }>('/v1/parity/probes');
    setRun(
      (before) =>
        runs.items.find(({ id }) => id === before?.id) ??
        runs.items.find((one) => concernsCell(one, { agent, path, setting })) ??
        null,
    );
  }, [agent, path, setting]);
  const tell = useCallback((error: unknown) => {
    setProblem(messageOf(error));
  }, []);
  useEffect(() => {
    read().catch(tell);
  }, [read, tell]);
  const runs = run?.status === 'running';
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => {
      read().catch(tell);
    }, askAgainMs);
    return () => {
      clearInterval(timer);
      // It has ended, or the drawer is left.
      onDone();
    };
  }, [runs, read, tell, onDone]);
  const start = async (): Promise<void> => {
    try {
      const body = { path, setting, ...(agent === null ? {} : { agent }) };
      setRun(await sendJson<ProbeRun>('POST', '/v1/parity/probes', body));
      setProblem(null);
    } catch (error) {
      tell(error);
    }
  };
  return (
    <section className={styles['section']} aria-label="probe" data-probe={run?.status ?? 'none'}>
      <h3>Probe</h3>
      <div className="row">
        {may ? (
          <Button size="compact-sm" disabled={runs} onClick={() => void start()}>
            Probe {agent ?? 'every agent'} on {path}
          </Button>
        ) : null}
        <span role="status" className={run?.status === 'failed' ? undefined : 'dim'}>
          {run === null
            ? 'A scripted model tries to break it through the real path, in a daemon of its own.'
            : progressOf(run)}
        </span>
        {run?.ended == null ? null : (
          <span className="dim">
            <When at={run.ended} />
          </span>
        )}
      </div>
      {problem === null ? null : <p role="alert">{problem}</p>}
      {run === null ? null : <Found run={run} />}
    </section>
  );
};

const Found = ({ run }: { readonly run: ProbeRun }) => (
  <>
    {run.problems.length === 0 ? null : (
      <ul style={{ margin: '0.375rem 0 0', paddingLeft: '1.125rem' }}>
        {run.problems.map((problem) => (
          <li key={problem}>
            <Foreign>{problem}</Foreign>
          </li>
        ))}
      </ul>
    )}
    {run.turns.length === 0 ? null : (
      <details style={{ marginTop: '0.375rem' }}>
        <summary className="dim">{plural(run.turns.length, 'turn')} of this probe</summary>
        <ul style={{ margin: '0.25rem 0 0', paddingLeft: '1.125rem' }}>
          {run.turns.map(({ turn, agent, trigger, attack }) => (
            <li key={turn}>
              <Link className="mono" href={`/turns/${turn}`}>
                {shortId(turn)}
              </Link>{' '}
              {agent} by {trigger}: <Foreign>{attack}</Foreign>
            </li>
          ))}
        </ul>
      </details>
    )}
  </>
);
