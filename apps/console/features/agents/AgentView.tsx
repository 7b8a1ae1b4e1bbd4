'use client';

import Link from 'next/link';
import { useState } from 'react';
import { Button, Tabs, TextInput } from '@mantine/core';
import { messageOf, sendJson } from '../../lib/api.ts';
import { useHolds } from '../../lib/session.tsx';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-snapshot.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { Empty } from '../../ui/Notices.tsx';
import { Tone } from '../../ui/Tone.tsx';
import { When } from '../../ui/When.tsx';
import { StopButton } from '../stop/StopButton.tsx';
import { useStops } from '../stop/stops.tsx';
import { Grants } from './Grants.tsx';
import { Policy } from './Policy.tsx';
import { Trail } from './Trail.tsx';
import { agentState, changesAgents, type AgentRow } from './agents.logic.ts';

/** One agent: what it may do and why, what it did, and what was granted to it for longer. */
export const AgentView = ({ alias }: { readonly alias: string }) => {
  const { get, set } = useQueryState();
  const { resource } = useResource<{ readonly items: readonly AgentRow[] }>(
    '/v1/agents',
    changesAgents,
  );
  const agent =
    resource.kind === 'ready' ? resource.value.items.find((one) => one.alias === alias) : undefined;
  const gone = resource.kind === 'ready' && agent === undefined;
  return (
    <div className="page">
      <div className="head">
        <h1>{alias}</h1>
        {agent === undefined ? null : <Status agent={agent} />}
      </div>
      {gone ? (
        <Empty title="Config has no such agent, or you may not see it">
          <p>
            An agent that left the config still has its trail below.{' '}
            <Link href="/agents">All agents</Link>
          </p>
        </Empty>
      ) : null}
      <Tabs
        value={get('tab') ?? 'policy'}
        onChange={(tab) => {
          set({ tab: tab === 'policy' ? null : tab });
        }}
        keepMounted={false}
      >
        <Tabs.List mb="sm">
          <Tabs.Tab value="policy">Policy</Tabs.Tab>
          <Tabs.Tab value="trail">Trail</Tabs.Tab>
          <Tabs.Tab value="grants">Grants</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="policy">
          <Policy alias={alias} />
        </Tabs.Panel>
        <Tabs.Panel value="trail">
          <Trail alias={alias} />
        </Tabs.Panel>
        <Tabs.Panel value="grants">
          <Grants alias={alias} />
        </Tabs.Panel>
      </Tabs>
    </div>
  );
};

const Status = ({ agent }: { readonly agent: AgentRow }) => {
  const state = agentState(agent);
  const pause = useStops().pauses.find((flag) => flag.agent === agent.alias);
  return (
    <>
      <Tone tone={state.tone}>{state.word}</Tone>
      <span className="dim">
        {state.why}
        {pause === undefined || state.word !== 'paused' ? null : (
          <>
            : <Foreign>{pause.why}</Foreign>, <When at={pause.since} />
          </>
        )}
      </span>
      <span className="dim">
        risk profile <span className="mono">{agent.riskProfile ?? 'none'}</span>, runtime profile{' '}
        <span className="mono">{agent.runtimeProfile ?? 'none'}</span>, provider{' '}
        <span className="mono">{agent.provider ?? 'none'}</span>
      </span>
      <span className="push row">
        <Link href={`/turns?agent=${agent.alias}`}>turns</Link>
        <Link href={`/?agent=${agent.alias}`}>parity</Link>
        <PauseOrResume agent={agent} />
        <StopButton agent={agent.alias} />
      </span>
    </>
  );
};

const PauseOrResume = ({ agent }: { readonly agent: AgentRow }) => {
  const may = useHolds('operator');
  const [why, setWhy] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  if (!may) return null;
  const send = async (what: 'pause' | 'resume', body: object): Promise<void> => {
    try {
      await sendJson('POST', `/v1/agents/${encodeURIComponent(agent.alias)}/${what}`, body);
      setWhy(null);
      setProblem(null);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const alert = problem === null ? null : <span role="alert">{problem}</span>;
  if (agent.paused)
    return (
      <>
        {alert}
        <Button size="compact-sm" onClick={() => void send('resume', {})}>
          Resume
        </Button>
      </>
    );
  if (why === null)
    return (
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => {
          setWhy('');
        }}
      >
        Pause …
      </Button>
    );
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        void send('pause', why.trim() === '' ? {} : { why: why.trim() });
      }}
    >
      {alert}
      <TextInput
        size="xs"
        autoFocus
        aria-label="why it is paused"
        placeholder="why (stands in the trail)"
        maxLength={500}
        value={why}
        onChange={(event) => {
          setWhy(event.currentTarget.value);
        }}
      />
      <Button size="compact-sm" type="submit">
        Pause
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => {
          setWhy(null);
        }}
      >
        Back
      </Button>
    </form>
  );
};
