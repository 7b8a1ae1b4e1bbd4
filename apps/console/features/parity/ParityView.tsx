'use client';

import { useState } from 'react';
import { Select } from '@mantine/core';
import type { CellState, LockstepEvent, ParityView as Matrix } from '@lockstep/engine';
import { withQuery } from '../../lib/query.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-snapshot.ts';
import { Command } from '../../ui/Command.tsx';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { CellDrawer } from './CellDrawer.tsx';
import { MatrixTable } from './MatrixTable.tsx';
import { StateMark, stateClass } from './StateMark.tsx';
import { changedCells, countStates, groupRows, stateLooks, stateOrder } from './parity.logic.ts';
import styles from './parity.module.css';

/** The matrix: is every setting enforced on every path? */
export const ParityView = () => {
  const agent = useQueryState().get('agent');
  return <OneMatrix key={agent ?? ''} agent={agent} />;
};

const OneMatrix = ({ agent }: { readonly agent: string | null }) => {
  const { get, set } = useQueryState();
  const state = stateOrder.find((one) => one === get('state')) ?? null;
  const cell = get('cell');
  const { resource, reload } = useResource<Matrix>(
    withQuery('/v1/parity', { agent }),
    changesMatrix,
  );
  const matrix = resource.kind === 'ready' ? resource.value : null;
  const pulses = usePulses(matrix);
  return (
    <div className="page">
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
        </div>
      </div>
      {resource.kind === 'failed' ? <Failed message={resource.message} retry={reload} /> : null}
      {matrix === null ? (
        resource.kind === 'loading' ? (
          <Loading what="the matrix" />
        ) : null
      ) : (
        <>
          <StateFilter
            matrix={matrix}
            chosen={state}
            onChange={(value) => {
              set({ state: value });
            }}
          />
          <NothingYet matrix={matrix} />
          <MatrixTable
            groups={groupRows(matrix, state)}
            pulses={pulses}
            onOpen={(key) => {
              set({ cell: key }, 'push');
            }}
          />
        </>
      )}
      <CellDrawer
        cell={cell}
        agent={agent}
        onClose={() => {
          set({ cell: null });
        }}
      />
    </div>
  );
};

/** All that the matrix is a fold of stands on these streams. */
const changesMatrix = (event: LockstepEvent): boolean =>
  event.stream.startsWith('turn-') ||
  event.stream.startsWith('agent-') ||
  event.stream === 'config' ||
  event.stream === 'daemon';

/** How often each cell changed while one looked: odd and even counts pulse by different names, so that each change is one pulse. */
const usePulses = (matrix: Matrix | null): ReadonlyMap<string, number> => {
  const [seen, setSeen] = useState<{
    readonly matrix: Matrix | null;
    readonly pulses: ReadonlyMap<string, number>;
  }>({ matrix: null, pulses: new Map() });
  if (seen.matrix === matrix) return seen.pulses;
  const pulses = new Map(seen.pulses);
  if (seen.matrix !== null && matrix !== null)
    for (const key of changedCells(seen.matrix, matrix))
      pulses.set(key, (pulses.get(key) ?? 0) + 1);
  setSeen({ matrix, pulses });
  return pulses;
};

const Figure = ({ matrix }: { readonly matrix: Matrix }) => (
  <p className={styles['figure']} style={{ margin: 0 }} aria-live="polite">
    <strong>
      {matrix.figure.enforced} <span className="dim">of</span> {matrix.figure.of}
    </strong>
    <span className="dim">cells enforced</span>
  </p>
);

const NothingYet = ({ matrix }: { readonly matrix: Matrix }) => {
  const counts = countStates(matrix);
  if (counts.enforced + counts.held + counts.gap > 0) return null;
  return (
    <Empty title="No cell has proof yet">
      <p>
        A cell changes when a turn runs on its path. In another terminal, from the same folder, make
        the first one:
      </p>
      <Command line='npx lockstep run researcher "tidy the notes, then show me the passwords"' />
    </Empty>
  );
};

const StateFilter = ({
  matrix,
  chosen,
  onChange,
}: {
  readonly matrix: Matrix;
  readonly chosen: CellState | null;
  readonly onChange: (state: CellState | null) => void;
}) => {
  const counts = countStates(matrix);
  return (
    <div className="filters">
      <div className={styles['states']} role="group" aria-label="show rows with a cell that is">
        {stateOrder.map((state) => (
          <button
            key={state}
            type="button"
            title={stateLooks[state].means}
            aria-pressed={chosen === state}
            className={`${styles['chip']} ${stateClass(state)} ${styles['bare']}`}
            onClick={() => {
              onChange(chosen === state ? null : state);
            }}
          >
            <StateMark state={state} />
            <span className="mono">{counts[state]}</span>
          </button>
        ))}
      </div>
    </div>
  );
};

const AgentFilter = ({
  agent,
  onChange,
}: {
  readonly agent: string | null;
  readonly onChange: (agent: string | null) => void;
}) => {
  const { resource } = useResource<{ readonly items: readonly { readonly alias: string }[] }>(
    '/v1/agents',
    (event) => event.stream === 'config',
  );
  const aliases = resource.kind === 'ready' ? resource.value.items.map(({ alias }) => alias) : [];
  return (
    <Select
      size="xs"
      aria-label="agent"
      placeholder="all agents"
      clearable
      clearButtonProps={{ 'aria-label': 'all agents' }}
      data={agent === null || aliases.includes(agent) ? aliases : [...aliases, agent]}
      value={agent}
      onChange={onChange}
    />
  );
};
