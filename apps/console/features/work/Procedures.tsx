'use client';

import { useState } from 'react';
import { Button } from '@mantine/core';
import { getJson, messageOf } from '../../lib/api.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useSnapshot } from '../../lib/use-snapshot.ts';
import { Command } from '../../ui/Command.tsx';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { RunPanel } from './RunPanel.tsx';
import { foldRuns, type RunPage, type ShownRun } from './work.logic.ts';

const path = '/v1/sops/runs?limit=50';

/** Runs of procedures, newest first, each with its steps. */
export const Procedures = () => {
  const { get, set } = useQueryState();
  const wanted = get('run');
  const { resource, reload, change } = useSnapshot<RunPage>(path, foldRuns);
  const [problem, setProblem] = useState<string | null>(null);
  if (resource.kind === 'loading') return <Loading what="the runs" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  const { items, next } = resource.value;
  const older = async (cursor: string): Promise<void> => {
    try {
      const more = await getJson<RunPage>(`${path}&cursor=${encodeURIComponent(cursor)}`);
      change((now) => ({ items: [...now.items, ...more.items], next: more.next }));
      setProblem(null);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const toggle = (id: string): void => {
    set({ run: wanted === id ? null : id });
  };
  const listed = items.some(({ id }) => id === wanted);
  return (
    <>
      {wanted === null || listed ? null : <OneRun id={wanted} onToggle={toggle} />}
      {items.length === 0 && wanted === null ? <NoRuns /> : null}
      {items.map((run) => (
        <RunPanel key={run.id} run={run} open={run.id === wanted} onToggle={toggle} />
      ))}
      {next === null ? null : (
        <p className="row">
          <Button size="compact-xs" variant="default" onClick={() => void older(next)}>
            Older runs
          </Button>
          {problem === null ? null : <span role="alert">{problem}</span>}
        </p>
      )}
    </>
  );
};

/** A run that the list does not reach. */
const OneRun = ({
  id,
  onToggle,
}: {
  readonly id: string;
  readonly onToggle: (id: string) => void;
}) => {
  const { resource, reload } = useSnapshot<ShownRun>(
    `/v1/sops/runs/${encodeURIComponent(id)}`,
    (run, event) =>
      foldRuns({ items: [run], next: null }, event).items.find((one) => one.id === id) ?? run,
  );
  if (resource.kind === 'loading') return <Loading what="the run" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  return <RunPanel run={resource.value} open onToggle={onToggle} />;
};

const NoRuns = () => (
  <Empty title="No procedure has run yet">
    <p>
      A procedure is a table like <span className="mono">[sops.release]</span> in the config file.
      Start it by a job, a channel, a tool, or from the folder of the daemon:
    </p>
    <Command line='npx lockstep sop start release "version 2"' />
  </Empty>
);
