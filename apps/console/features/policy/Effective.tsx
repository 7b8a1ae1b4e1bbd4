'use client';

import Link from 'next/link';
import { Select } from '@mantine/core';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-snapshot.ts';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { Policy } from '../agents/Policy.tsx';
import { changesAgents, type AgentRow } from '../agents/agents.logic.ts';

/** What the config in force means for one agent on one path, and where each value comes from. */
export const Effective = () => {
  const { get, set } = useQueryState();
  const { resource, reload } = useResource<{ readonly items: readonly AgentRow[] }>(
    '/v1/agents',
    changesAgents,
  );
  if (resource.kind === 'loading') return <Loading what="the agents" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  const aliases = resource.value.items.map(({ alias }) => alias);
  const alias = get('agent') ?? aliases[0];
  if (alias === undefined)
    return (
      <Empty title="The config has no agent">
        <p>An agent is a table like [agents.writer] in the config file.</p>
      </Empty>
    );
  return (
    <>
      <div className="filters">
        <Select
          size="xs"
          w="12rem"
          aria-label="agent"
          data={aliases}
          allowDeselect={false}
          value={alias}
          onChange={(value) => {
            set({ agent: value });
          }}
        />
        <Link href={`/agents/${alias}?tab=trail`}>what it did</Link>
      </div>
      <Policy key={alias} alias={alias} />
    </>
  );
};
