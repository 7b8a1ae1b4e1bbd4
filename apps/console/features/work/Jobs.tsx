'use client';

import Link from 'next/link';
import { useState } from 'react';
import { Button } from '@mantine/core';
import type { LockstepEvent } from '@lockstep/engine';
import { messageOf, sendJson } from '../../lib/api.ts';
import { duration, exactTime } from '../../lib/format.ts';
import { usePrefs } from '../../lib/prefs.tsx';
import { useHolds } from '../../lib/session.tsx';
import { useNow } from '../../lib/use-now.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-snapshot.ts';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { Tone } from '../../ui/Tone.tsx';
import { When } from '../../ui/When.tsx';
import { makerOf, placeOfRun, runTone, type JobShown } from './work.logic.ts';

const concerns = ({ stream, type }: LockstepEvent): boolean =>
  stream === 'config' || type.startsWith('Job') || type.startsWith('Agent');

/** Jobs with their times, and a run now. */
export const Jobs = () => {
  const { get } = useQueryState();
  const { resource, reload } = useResource<{ readonly items: readonly JobShown[] }>(
    '/v1/jobs',
    concerns,
  );
  if (resource.kind === 'loading') return <Loading what="the jobs" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  const { items } = resource.value;
  const chosen = get('job');
  if (items.length === 0)
    return (
      <Empty title="No job is due, ever">
        <p>
          A job is a table like <span className="mono">[cron.nightly]</span> in the config file, the
          heartbeat of an agent, or one that an agent made by <span className="mono">cron_add</span>
          .
        </p>
      </Empty>
    );
  return (
    <div className="panel scroll" tabIndex={0} role="region" aria-label="list of jobs">
      <table className="list">
        <thead>
          <tr>
            <th scope="col">job</th>
            <th scope="col">agent</th>
            <th scope="col">when</th>
            <th scope="col">next</th>
            <th scope="col">last times</th>
            <th scope="col">made by</th>
            <th scope="col">
              <span className="quiet">run it</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((job) => (
            <tr
              key={job.name}
              data-job={job.name}
              style={job.name === chosen ? { background: 'var(--ls-held-bg)' } : undefined}
            >
              <td className="mono">{job.name}</td>
              <td>
                <Link href={`/agents/${job.agent}`}>{job.agent}</Link>
              </td>
              <td className="whole">
                <span className="mono">{job.schedule}</span>{' '}
                <span className="dim">{job.timezone}</span>
              </td>
              <td className="whole">
                <Next job={job} />
              </td>
              <td>
                <Runs job={job} />
              </td>
              <td>{makerOf(job)}</td>
              <td>
                <RunNow name={job.name} onDone={reload} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const Next = ({ job: { enabled, next } }: { readonly job: JobShown }) => {
  const now = useNow();
  const { zone } = usePrefs();
  const [first] = next;
  if (!enabled) return <span className="dim">off</span>;
  if (first === undefined) return <span className="dim">never</span>;
  const title = next.map((at) => exactTime(at, zone)).join('\n');
  return (
    <time dateTime={new Date(first).toISOString()} title={title}>
      {first <= now ? 'now' : `in ${duration(first - now)}`}
    </time>
  );
};

const Runs = ({ job }: { readonly job: JobShown }) => {
  if (job.runs.length === 0) return <span className="dim">none yet</span>;
  return (
    <ul style={{ listStyle: 'none', margin: 0, padding: 0 }}>
      {job.runs.slice(0, 3).map((run) => {
        const place = placeOfRun(run);
        return (
          <li key={run.due} className="row" style={{ gap: '0 0.5rem' }}>
            <Tone tone={runTone(run.state)}>{run.state}</Tone>
            <When at={run.due} />
            {run.more > 0 ? <span className="dim">and {run.more} more</span> : null}
            {run.late ? <span className="dim">late</span> : null}
            {run.by === 'person' ? <span className="dim">by a person</span> : null}
            {place === null ? null : <Link href={place}>{run.sop === null ? 'turn' : 'run'}</Link>}
          </li>
        );
      })}
    </ul>
  );
};

const RunNow = ({ name, onDone }: { readonly name: string; readonly onDone: () => void }) => {
  const may = useHolds('operator');
  const [said, setSaid] = useState<string | null>(null);
  if (!may) return null;
  const run = async (): Promise<void> => {
    try {
      const started = await sendJson<{ readonly queued: boolean }>(
        'POST',
        `/v1/jobs/${encodeURIComponent(name)}/run`,
      );
      setSaid(started?.queued === true ? 'it waits for the run before it' : 'it runs');
      onDone();
    } catch (error) {
      setSaid(messageOf(error));
    }
  };
  return (
    <span className="row">
      <Button size="compact-xs" variant="default" onClick={() => void run()}>
        Run now
      </Button>
      <span role="status" className="dim">
        {said}
      </span>
    </span>
  );
};
