'use client';

import { useState } from 'react';
import { Button, Select } from '@mantine/core';
import { useHeld } from '../../lib/use-held.ts';
import { getJson, messageOf } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { withQuery } from '../../lib/query.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource, useSnapshot } from '../../lib/use-snapshot.ts';
import { Command } from '../../ui/Command.tsx';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { pathColumns } from '../parity/parity.logic.ts';
import { TurnTable } from './TurnTable.tsx';
import {
  appendTurns,
  foldTurns,
  matchesTurn,
  mergeTurns,
  splitHeld,
  turnStatuses,
  type TurnFilter,
  type TurnPage,
} from './turns.logic.ts';

/** All turns, newest first, as they run. */
export const TurnsView = () => {
  const { get, set } = useQueryState();
  const filter: TurnFilter = { agent: get('agent'), path: get('path'), status: get('status') };
  return (
    <div className="page">
      <div className="head">
        <h1>Turns</h1>
        <div className="push">
          <Filters filter={filter} onChange={set} />
        </div>
      </div>
      <List key={JSON.stringify(filter)} filter={filter} />
    </div>
  );
};

const Filters = ({
  filter,
  onChange,
}: {
  readonly filter: TurnFilter;
  readonly onChange: (change: Readonly<Record<string, string | null>>) => void;
}) => {
  const { resource } = useResource<{ readonly items: readonly { readonly alias: string }[] }>(
    '/v1/agents',
    (event) => event.stream === 'config',
  );
  const agents = resource.kind === 'ready' ? resource.value.items.map(({ alias }) => alias) : [];
  const choices = { agent: agents, path: pathColumns, status: turnStatuses };
  return (
    <div className="filters" style={{ margin: 0 }}>
      {(['agent', 'path', 'status'] as const).map((key) => (
        <Select
          key={key}
          size="xs"
          w="9rem"
          aria-label={key}
          placeholder={`any ${key}`}
          clearable
          clearButtonProps={{ 'aria-label': `any ${key}` }}
          data={[...choices[key]]}
          value={filter[key]}
          onChange={(value) => {
            onChange({ [key]: value });
          }}
        />
      ))}
    </div>
  );
};

const List = ({ filter }: { readonly filter: TurnFilter }) => {
  const path = withQuery('/v1/turns', { ...filter, limit: 100 });
  const { resource, reload, change } = useSnapshot<TurnPage>(path, foldTurns, mergeTurns);
  const held = useHeld();
  const more = useMore(path, change);
  if (resource.kind === 'loading') return <Loading what="the turns" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  const { items, next } = resource.value;
  const matching = items.filter((row) => matchesTurn(row, filter));
  const { drawn, held: waiting } = splitHeld(matching, held.shown);
  if (matching.length === 0)
    return <NoTurns filtered={Object.values(filter).some((v) => v !== null)} />;
  return (
    <>
      <TurnTable
        rows={drawn}
        onEnter={() => {
          held.hold(drawn.map(({ id }) => id));
        }}
        onLeave={held.release}
        onEnd={next === null ? null : () => void more.fetch(next)}
      />
      <div className="row" style={{ marginTop: '0.5rem', minHeight: '1.75rem' }}>
        <span className="dim">
          {plural(matching.length, 'turn')}
          {next === null ? '' : ' so far'}
        </span>
        {waiting === 0 ? null : (
          <Button size="compact-xs" variant="light" onClick={held.release}>
            Show {plural(waiting, 'new turn')}
          </Button>
        )}
        {next === null ? null : (
          <Button
            size="compact-xs"
            variant="default"
            loading={more.busy}
            onClick={() => void more.fetch(next)}
          >
            Older turns
          </Button>
        )}
        {more.problem === null ? null : <span role="alert">{more.problem}</span>}
      </div>
    </>
  );
};

const useMore = (path: string, change: (how: (now: TurnPage) => TurnPage) => void) => {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const fetch = async (cursor: string): Promise<void> => {
    if (busy) return;
    setBusy(true);
    try {
      const older = await getJson<TurnPage>(`${path}&cursor=${encodeURIComponent(cursor)}`);
      change((now) => appendTurns(now, older));
      setProblem(null);
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, fetch };
};

const NoTurns = ({ filtered }: { readonly filtered: boolean }) =>
  filtered ? (
    <Empty title="No turn is like that">
      <p>Take a filter away to see others.</p>
    </Empty>
  ) : (
    <Empty title="No turn has run yet">
      <p>In another terminal, from the same folder, make the first one:</p>
      <Command line='npx lockstep run researcher "tidy the notes, then show me the passwords"' />
    </Empty>
  );
