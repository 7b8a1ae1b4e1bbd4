'use client';

import Link from 'next/link';
import { useState } from 'react';
import { Button, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { TrailEntry } from '@lockstep/engine';
import { getJson, messageOf } from '../../lib/api.ts';
import { plural, shortId } from '../../lib/format.ts';
import { withQuery } from '../../lib/query.ts';
import { useHeld } from '../../lib/use-held.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useSnapshot } from '../../lib/use-snapshot.ts';
import { Command } from '../../ui/Command.tsx';
import { Foreign } from '../../ui/Foreign.tsx';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { Tone } from '../../ui/Tone.tsx';
import { When } from '../../ui/When.tsx';
import { pathColumns } from '../parity/parity.logic.ts';
import { splitHeld } from '../turns/turns.logic.ts';
import {
  foldTrail,
  trailKeys,
  withIds,
  type TrailChoice,
  type TrailKey,
  type TrailPage,
} from './agents.logic.ts';
import styles from './agents.module.css';

/** All that an agent did and was refused, newest first, live. */
export const Trail = ({ alias }: { readonly alias: string }) => {
  const { get, set } = useQueryState();
  const choice = Object.fromEntries(trailKeys.map((key) => [key, get(key)])) as TrailChoice;
  return (
    <>
      <TrailFilters choice={choice} onChange={set} />
      <Entries key={JSON.stringify(choice)} alias={alias} choice={choice} />
    </>
  );
};

const TrailFilters = ({
  choice,
  onChange,
}: {
  readonly choice: TrailChoice;
  readonly onChange: (change: Readonly<Record<string, string | null>>) => void;
}) => (
  <div className="filters">
    {(
      [
        ['verdict', ['allow', 'ask', 'refuse']],
        ['path', [...pathColumns]],
      ] as const
    ).map(([key, data]) => (
      <Select
        key={key}
        size="xs"
        w="8.5rem"
        aria-label={key}
        placeholder={`any ${key}`}
        clearable
        clearButtonProps={{ 'aria-label': `any ${key}` }}
        data={[...data]}
        value={choice[key]}
        onChange={(value) => {
          onChange({ [key]: value });
        }}
      />
    ))}
    {(['tool', 'rule', 'person', 'text'] as const).map((key) => (
      <Words key={key} name={key} value={choice[key]} onChange={onChange} />
    ))}
  </div>
);

const Words = ({
  name,
  value,
  onChange,
}: {
  readonly name: TrailKey;
  readonly value: string | null;
  readonly onChange: (change: Readonly<Record<string, string | null>>) => void;
}) => {
  const [words, setWords] = useState(value ?? '');
  const settle = useDebouncedCallback((next: string) => {
    onChange({ [name]: next.trim() === '' ? null : next.trim() });
  }, 350);
  return (
    <TextInput
      size="xs"
      w="10rem"
      aria-label={name}
      placeholder={name === 'text' ? 'any text' : `any ${name}`}
      value={words}
      onChange={(event) => {
        setWords(event.currentTarget.value);
        settle(event.currentTarget.value);
      }}
    />
  );
};

const Entries = ({ alias, choice }: { readonly alias: string; readonly choice: TrailChoice }) => {
  const path = withQuery(`/v1/agents/${encodeURIComponent(alias)}/trail`, {
    ...choice,
    limit: 100,
  });
  const { resource, reload, change } = useSnapshot<TrailPage>(path, foldTrail(alias, choice));
  const [problem, setProblem] = useState<string | null>(null);
  const held = useHeld();
  if (resource.kind === 'loading') return <Loading what="the trail" />;
  if (resource.kind === 'failed')
    return resource.code === 'forbidden' ? (
      <Empty title="Your role does not show trails">
        <p>{resource.message}</p>
      </Empty>
    ) : (
      <Failed message={resource.message} retry={reload} />
    );
  const page = withIds(resource.value);
  const { drawn, held: waiting } = splitHeld(page.items, held.shown);
  const older = async (cursor: string): Promise<void> => {
    try {
      const more = await getJson<TrailPage>(`${path}&cursor=${encodeURIComponent(cursor)}`);
      change((now) => ({ items: [...now.items, ...more.items], next: more.next }));
      setProblem(null);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  if (page.items.length === 0)
    return <NoEntries filtered={trailKeys.some((key) => choice[key] !== null)} />;
  return (
    <>
      {waiting === 0 ? null : (
        <p style={{ margin: '0 0 0.5rem' }}>
          <Button size="compact-xs" variant="light" onClick={held.release}>
            Show {plural(waiting, 'new entry').replace('entrys', 'entries')}
          </Button>
        </p>
      )}
      <ol
        className={`panel ${styles['entries']}`}
        aria-label="trail"
        onPointerEnter={() => {
          held.hold(drawn.map(({ id }) => id));
        }}
        onPointerLeave={held.release}
      >
        {drawn.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
      <div className="row" style={{ marginTop: '0.5rem' }}>
        {page.next === null ? (
          <span className="dim">this is where the trail begins</span>
        ) : (
          <Button size="compact-xs" variant="default" onClick={() => void older(page.next ?? '')}>
            Older entries
          </Button>
        )}
        {problem === null ? null : <span role="alert">{problem}</span>}
      </div>
    </>
  );
};

const Entry = ({ entry }: { readonly entry: TrailEntry }) => (
  <li className={styles['entry']} data-type={entry.type}>
    <span className="mono dim">
      <When at={entry.at} as="clock" />
    </span>
    <Tone tone={entry.tone} />
    <span>
      <span className={styles[entry.tone]}>
        <Foreign>{entry.title}</Foreign>
      </span>
      {entry.detail === null ? null : (
        <>
          {' '}
          <Foreign className="dim">{entry.detail}</Foreign>
        </>
      )}
      {entry.approver === null ? null : <span className="dim"> by {entry.approver}</span>}
    </span>
    <span className="mono">
      {entry.rule ?? ''}
      {entry.pattern === null ? null : (
        <>
          {' '}
          <Foreign className="dim">{entry.pattern}</Foreign>
        </>
      )}
    </span>
    <span className="mono">
      {entry.turn === null ? null : (
        <Link href={`/turns/${entry.turn}?event=${entry.event}`}>{shortId(entry.turn)}</Link>
      )}
    </span>
  </li>
);

const NoEntries = ({ filtered }: { readonly filtered: boolean }) =>
  filtered ? (
    <Empty title="Nothing in the trail is like that">
      <p>Take a filter away to see more.</p>
    </Empty>
  ) : (
    <Empty title="This agent has done nothing yet">
      <p>In another terminal, from the same folder:</p>
      <Command line='npx lockstep run researcher "tidy the notes"' />
    </Empty>
  );
