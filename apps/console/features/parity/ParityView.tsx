'use client';

import Link from 'next/link';
import { useState } from 'react';
import { Button } from '@mantine/core';
import type { LockstepEvent, ParityView as Matrix } from '@lockstep/engine';
import { withQuery } from '../../lib/query.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-snapshot.ts';
import { Command } from '../../ui/Command.tsx';
import { Failed, Loading } from '../../ui/Notices.tsx';
import { CellDrawer } from './CellDrawer.tsx';
import { MatrixTable } from './MatrixTable.tsx';
import { AgentFilter, StateFilter, VersionFilter } from './ParityFilters.tsx';
import { Figure } from './Trend.tsx';
import { changedCells, groupRows, hintOf, missingText, stateOrder } from './parity.logic.ts';
import { namesOf, toggled } from './place.logic.ts';
import styles from './parity.module.css';

/** The matrix: is every setting enforced on every path? */
export const ParityView = () => {
  const { get } = useQueryState();
  const [agent, version] = [get('agent'), get('version')];
  return <OneMatrix key={`${agent ?? ''} ${version ?? ''}`} agent={agent} version={version} />;
};

const OneMatrix = ({
  agent,
  version,
}: {
  readonly agent: string | null;
  readonly version: string | null;
}) => {
  const { get, set } = useQueryState();
  const { resource, reload } = useResource<Matrix>(
    withQuery('/v1/parity', { agent, version }),
    changesMatrix,
  );
  const matrix = resource.kind === 'ready' ? resource.value : null;
  return (
    <div className="page fill">
      <div className="head">
        <h1>Parity</h1>
        {matrix === null ? null : <Figure matrix={matrix} />}
        <div className="push row">
          <AgentFilter
            agent={agent}
            onChange={(value) => {
              set({ agent: value });
            }}
          />
          <VersionFilter
            versions={matrix?.configVersions ?? []}
            version={version}
            onChange={(value) => {
              set({ version: value });
            }}
          />
        </div>
      </div>
      {resource.kind === 'failed' ? <Failed message={resource.message} retry={reload} /> : null}
      {resource.kind === 'loading' ? <Loading what="the matrix" /> : null}
      {matrix === null ? null : <Board matrix={matrix} agent={agent} />}
      <CellDrawer
        cell={get('cell')}
        agent={agent}
        version={version}
        onClose={() => {
          set({ cell: null });
        }}
      />
    </div>
  );
};

const Board = ({ matrix, agent }: { readonly matrix: Matrix; readonly agent: string | null }) => {
  const { get, set } = useQueryState();
  const state = stateOrder.find((one) => one === get('state')) ?? null;
  const open = namesOf(get('open'));
  const folded = namesOf(get('fold'));
  const groups = groupRows(matrix, state);
  const pulses = usePulses(matrix);
  return (
    <>
      <div className="filters">
        <StateFilter
          matrix={matrix}
          chosen={state}
          onChange={(value) => {
            set({ state: value });
          }}
        />
        <Button
          className="push"
          size="compact-xs"
          variant="default"
          onClick={() => {
            const all = groups.map(({ surface }) => surface).join(',');
            set({ fold: folded.size === 0 ? all : null });
          }}
        >
          {folded.size === 0 ? 'Fold all surfaces' : 'Unfold all surfaces'}
        </Button>
      </div>
      {matrix.missing.map((place) => (
        <p key={place.position} role="alert" className={styles['missing']}>
          {missingText(place)}
        </p>
      ))}
      <Hint matrix={matrix} agent={agent} />
      <MatrixTable
        matrix={matrix}
        groups={groups}
        open={open}
        folded={folded}
        pulses={pulses}
        onOpen={(key) => {
          set({ cell: key }, 'push');
        }}
        onPath={(path) => {
          set({ open: toggled(open, path) });
        }}
        onSurface={(surface) => {
          set({ fold: toggled(folded, surface) });
        }}
      />
    </>
  );
};

/** What the matrix is a fold of stands on these streams. */
const changesMatrix = (event: LockstepEvent): boolean =>
  event.stream.startsWith('turn-') ||
  event.stream.startsWith('agent-') ||
  event.stream.startsWith('probe-') ||
  event.stream === 'config' ||
  event.stream === 'daemon';

/** How often each cell changed while one looked: odd and even counts pulse by different names, so that each change is one pulse. */
const usePulses = (matrix: Matrix): ReadonlyMap<string, number> => {
  const [seen, setSeen] = useState<{
    readonly matrix: Matrix;
    readonly pulses: ReadonlyMap<string, number>;
  }>({ matrix, pulses: new Map() });
  if (seen.matrix === matrix) return seen.pulses;
  const pulses = new Map(seen.pulses);
  for (const key of changedCells(seen.matrix, matrix)) pulses.set(key, (pulses.get(key) ?? 0) + 1);
  setSeen({ matrix, pulses });
  return pulses;
};

const Hint = ({ matrix, agent }: { readonly matrix: Matrix; readonly agent: string | null }) => {
  switch (hintOf(matrix, agent)) {
    case null:
      return null;
    case 'no proof yet':
      return (
        <div className={`${styles['hint']} row`} data-hint="begin">
          <span>
            <strong>No cell has proof yet.</strong> A cell changes when a turn runs on its path. In
            another terminal, from the same folder, drive the paths:
          </span>
          <Command line="npx lockstep demo" />
        </div>
      );
    case 'worst of all triggers':
      return (
        <p className={styles['hint']} data-hint="triggers">
          A cell here is the worst of all triggers of its path: one that had no turn yet holds it
          back. Open a path by its head to see each; <code>npx lockstep demo</code> drives them.
        </p>
      );
    case 'worst of all agents':
      return (
        <p className={`${styles['hint']} row`} data-hint="agents">
          <span>
            A cell here is the worst of {matrix.agents.length} agents: one agent without a turn on a
            path holds it back. Look at one agent:
          </span>
          {matrix.agents.map((alias) => (
            <Link key={alias} href={`/?agent=${alias}`}>
              {alias}
            </Link>
          ))}
        </p>
      );
  }
};
