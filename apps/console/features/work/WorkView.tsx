'use client';

import { Tabs } from '@mantine/core';
import { useQueryState } from '../../lib/use-query-state.ts';
import { Channels } from './Channels.tsx';
import { Jobs } from './Jobs.tsx';
import { Procedures } from './Procedures.tsx';

/** What brings work by itself: channels, jobs, and procedures with their runs. */
export const WorkView = () => {
  const { get, set } = useQueryState();
  return (
    <div className="page">
      <div className="head">
        <h1>Work</h1>
      </div>
      <Tabs
        value={get('tab') ?? 'channels'}
        onChange={(tab) => {
          set({ tab: tab === 'channels' ? null : tab, run: null, job: null });
        }}
        keepMounted={false}
      >
        <Tabs.List mb="sm">
          <Tabs.Tab value="channels">Channels</Tabs.Tab>
          <Tabs.Tab value="jobs">Jobs</Tabs.Tab>
          <Tabs.Tab value="procedures">Procedures</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="channels">
          <Channels />
        </Tabs.Panel>
        <Tabs.Panel value="jobs">
          <Jobs />
        </Tabs.Panel>
        <Tabs.Panel value="procedures">
          <Procedures />
        </Tabs.Panel>
      </Tabs>
    </div>
  );
};
