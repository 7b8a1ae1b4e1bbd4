'use client';

import Link from 'next/link';
import { useState } from 'react';
import { Button, Select, TextInput } from '@mantine/core';
import { messageOf, sendJson } from '../../../lib/api.ts';
import { useHolds } from '../../../lib/session.tsx';
import { useQueryState } from '../../../lib/use-query-state.ts';
import { useResource } from '../../../lib/use-snapshot.ts';
import { Empty } from '../../../ui/Notices.tsx';
import { pathColumns } from '../../parity/parity.logic.ts';
import { changesAgents, type AgentRow } from '../../agents/agents.logic.ts';
import { ConfigSelect } from '../ConfigSelect.tsx';
import { useConfigs } from '../use-configs.ts';
import { BacktestView } from './BacktestView.tsx';
import { configBody, configChoice, startBody } from './backtest.logic.ts';

/** What a draft, or an earlier version, would have done to the turns of the log. */
export const BacktestTab = () => {
  const { get } = useQueryState();
  const may = useHolds('operator');
  const id = get('id');
  return (
    <>
      {may ? (
        <Start />
      ) : (
        <p className="dim">
          An operator starts a backtest; its report can be opened by its address.
        </p>
      )}
      {id === null ? (
        <Empty title="Before a change ships, see what it would have done">
          <p>
            Every recorded turn is judged again under another config: which calls would be refused,
            asked or allowed now. Nothing is run. Write a draft under{' '}
            <Link href="/policy?tab=draft">Draft</Link>, or choose a version that was in force.
          </p>
        </Empty>
      ) : (
        <BacktestView key={id} id={id} />
      )}
    </>
  );
};

const Start = () => {
  const { get, set } = useQueryState();
  const { versions, draft, ready } = useConfigs();
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const word = get('config') ?? (draft === null ? null : 'draft');
  const chosen = configChoice(word);
  const body = chosen === null ? null : configBody(chosen, draft?.text ?? null);
  const choice = {
    since: get('since'),
    agent: get('agent'),
    path: get('path'),
    limit: get('limit'),
  };
  const start = async (): Promise<void> => {
    if (body === null) return;
    setBusy(true);
    try {
      const started = await sendJson<{ readonly id: string }>(
        'POST',
        '/v1/backtests',
        startBody(body, choice),
      );
      setProblem(null);
      set({ id: started?.id ?? null, config: word, change: null }, 'push');
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <form
        className="filters"
        aria-label="backtest"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <ConfigSelect
          versions={versions}
          draft={draft}
          value={word}
          onChange={(value) => {
            set({ config: value });
          }}
        />
        <Filters />
        <Button size="compact-sm" type="submit" disabled={!ready || body === null} loading={busy}>
          Run the backtest
        </Button>
        {ready && chosen === 'draft' && draft === null ? (
          <span className="dim">
            there is no draft in this browser: <Link href="/policy?tab=draft">write one</Link>
          </span>
        ) : null}
      </form>
      {problem === null ? null : <p role="alert">{problem}</p>}
    </>
  );
};

const Filters = () => {
  const { get, set } = useQueryState();
  const agents = useResource<{ readonly items: readonly AgentRow[] }>(
    '/v1/agents',
    changesAgents,
  ).resource;
  const aliases = agents.kind === 'ready' ? agents.value.items.map(({ alias }) => alias) : [];
  return (
    <>
      {(
        [
          ['agent', aliases],
          ['path', pathColumns],
        ] as const
      ).map(([key, data]) => (
        <Select
          key={key}
          size="xs"
          w="9rem"
          aria-label={key}
          placeholder={`any ${key}`}
          clearable
          clearButtonProps={{ 'aria-label': `any ${key}` }}
          data={[...data]}
          value={get(key)}
          onChange={(value) => {
            set({ [key]: value });
          }}
        />
      ))}
      {(
        [
          ['since', 'since, as 30d'],
          ['limit', 'newest turns'],
        ] as const
      ).map(([key, words]) => (
        <TextInput
          key={key}
          size="xs"
          w="8rem"
          aria-label={words}
          placeholder={words}
          value={get(key) ?? ''}
          onChange={(event) => {
            set({ [key]: event.currentTarget.value });
          }}
        />
      ))}
    </>
  );
};
