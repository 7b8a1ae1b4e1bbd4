'use client';

import { Tabs } from '@mantine/core';
import { useQueryState } from '../../lib/use-query-state.ts';
import { BacktestTab } from './backtest/BacktestTab.tsx';
import { DraftTab } from './DraftTab.tsx';
import { Effective } from './Effective.tsx';
import { Versions } from './Versions.tsx';

/** The config: its versions, what it means for each agent, and a draft of the next one with what that would change. */
export const PolicyView = () => {
  const { get, set } = useQueryState();
  return (
    <div className="page">
      <div className="head">
        <h1>Policy</h1>
      </div>
      <Tabs
        value={get('tab') ?? 'versions'}
        onChange={(tab) => {
          set({ tab: tab === 'versions' ? null : tab, from: null, to: null });
        }}
        keepMounted={false}
      >
        <Tabs.List mb="sm">
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
          <Tabs.Tab value="effective">In force by agent</Tabs.Tab>
          <Tabs.Tab value="draft">Draft</Tabs.Tab>
          <Tabs.Tab value="backtest">Backtest</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="versions">
          <Versions />
        </Tabs.Panel>
        <Tabs.Panel value="effective">
          <Effective />
        </Tabs.Panel>
        <Tabs.Panel value="draft">
          <DraftTab />
        </Tabs.Panel>
        <Tabs.Panel value="backtest">
          <BacktestTab />
        </Tabs.Panel>
      </Tabs>
    </div>
  );
};
