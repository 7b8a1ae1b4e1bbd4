'use client';

import { Select } from '@mantine/core';
import type { CellState, ParityView } from '@lockstep/engine';
import { useResource } from '../../lib/use-snapshot.ts';
import { StateMark, stateClass } from './StateMark.tsx';
import { countStates, stateLooks, stateOrder } from './parity.logic.ts';
import styles from './parity.module.css';

/** Rows with a cell of one state, or all. */
export const StateFilter = ({
  matrix,
  chosen,
  onChange,
}: {
  readonly matrix: ParityView;
  readonly chosen: CellState | null;
  readonly onChange: (state: CellState | null) => void;
}) => {
  const counts = countStates(matrix);
  return (
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
  );
};

export const AgentFilter = ({
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
      w="9.5rem"
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

/** The config version whose values are expected: the one in force, or an earlier one. */
export const VersionFilter = ({
  versions,
  version,
  onChange,
}: {
  readonly versions: readonly number[];
  readonly version: string | null;
  readonly onChange: (version: string | null) => void;
}) => {
  const newest = versions.at(-1);
  return (
    <Select
      size="xs"
      w="11.5rem"
      aria-label="config version"
      placeholder={newest === undefined ? 'config in force' : `config in force (${newest})`}
      clearable
      clearButtonProps={{ 'aria-label': 'the config in force' }}
      data={[...versions]
        .reverse()
        .map((one) => ({ value: String(one), label: `config version ${one}` }))}
      value={version}
      onChange={onChange}
    />
  );
};
