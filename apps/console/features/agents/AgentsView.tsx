'use client';

import Link from 'next/link';
import { useResource } from '../../lib/use-snapshot.ts';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { Tone } from '../../ui/Tone.tsx';
import { agentState, changesAgents, type AgentRow } from './agents.logic.ts';

/** The agents of the config, and whether each takes work. */
export const AgentsView = () => {
  const { resource, reload } = useResource<{ readonly items: readonly AgentRow[] }>(
    '/v1/agents',
    changesAgents,
  );
  return (
    <div className="page">
      <div className="head">
        <h1>Agents</h1>
      </div>
      {resource.kind === 'loading' ? <Loading what="the agents" /> : null}
      {resource.kind === 'failed' ? <Failed message={resource.message} retry={reload} /> : null}
      {resource.kind === 'ready' ? <AgentList agents={resource.value.items} /> : null}
    </div>
  );
};

const AgentList = ({ agents }: { readonly agents: readonly AgentRow[] }) => {
  if (agents.length === 0)
    return (
      <Empty title="Config has no agent that you may see">
        <p>An agent is a table like [agents.researcher] in the config file.</p>
      </Empty>
    );
  return (
    <div className="panel scroll" tabIndex={0} role="region" aria-label="list of agents">
      <table className="list">
        <thead>
          <tr>
            <th scope="col">agent</th>
            <th scope="col">state</th>
            <th scope="col">risk profile</th>
            <th scope="col">runtime profile</th>
            <th scope="col">provider</th>
            <th scope="col">see</th>
          </tr>
        </thead>
        <tbody>
          {agents.map((agent) => {
            const state = agentState(agent);
            return (
              <tr key={agent.alias}>
                <td>
                  <Link href={`/agents/${agent.alias}`}>{agent.alias}</Link>
                </td>
                <td>
                  <Tone tone={state.tone}>{state.word}</Tone>{' '}
                  <span className="dim">{state.why}</span>
                </td>
                <td className="mono">{agent.riskProfile ?? <None />}</td>
                <td className="mono">{agent.runtimeProfile ?? <None />}</td>
                <td className="mono">{agent.provider ?? <None />}</td>
                <td>
                  <span className="row">
                    <Link href={`/agents/${agent.alias}?tab=trail`}>trail</Link>
                    <Link href={`/turns?agent=${agent.alias}`}>turns</Link>
                    <Link href={`/?agent=${agent.alias}`}>parity</Link>
                  </span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
};

const None = () => <span className="dim">none</span>;
