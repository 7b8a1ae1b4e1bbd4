'use client';

import { Select } from '@mantine/core';
import { useQueryState } from '../../lib/use-query-state.ts';
import { pathColumns } from '../parity/parity.logic.ts';
import { ConfigSelect } from '../policy/ConfigSelect.tsx';
import type { useConfigs } from '../policy/use-configs.ts';
import { triggersOf, type ReplayChoice } from './replay.logic.ts';

/** What is put in the place of what was recorded: a path with its trigger, a config. */
export const ReplayControls = ({
  choice,
  configs,
  mayOther,
}: {
  readonly choice: ReplayChoice;
  readonly configs: ReturnType<typeof useConfigs>;
  readonly mayOther: boolean;
}) => {
  const { set } = useQueryState();
  const triggers = triggersOf(choice.path);
  return (
    <div className="filters" role="group" aria-label="what is tried instead">
      <Select
        size="xs"
        w="11rem"
        aria-label="path"
        placeholder="path as recorded"
        clearable
        clearButtonProps={{ 'aria-label': 'path as recorded' }}
        data={[...pathColumns]}
        value={choice.path}
        onChange={(path) => {
          set({ path, trigger: null, row: null });
        }}
      />
      <Select
        size="xs"
        w="11rem"
        aria-label="trigger"
        placeholder="any trigger"
        clearable
        clearButtonProps={{ 'aria-label': 'any trigger' }}
        disabled={triggers.length === 0}
        data={[...triggers]}
        value={choice.trigger}
        onChange={(trigger) => {
          set({ trigger, row: null });
        }}
      />
      {mayOther ? (
        <ConfigSelect
          versions={configs.versions}
          draft={configs.draft}
          value={choice.config}
          asRecorded="config as recorded"
          onChange={(config) => {
            set({ config, row: null });
          }}
        />
      ) : null}
    </div>
  );
};
