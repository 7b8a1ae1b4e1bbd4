'use client';

import Link from 'next/link';
import { useState } from 'react';
import { Button, SegmentedControl } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { getJson, messageOf } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource, useSnapshot } from '../../lib/use-snapshot.ts';
import { Command } from '../../ui/Command.tsx';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { Grants } from '../agents/Grants.tsx';
import { RequestDetail } from './RequestDetail.tsx';
import { RequestList } from './RequestList.tsx';
import { UnknownOutcomes } from './UnknownOutcomes.tsx';
import { useUnknownOutcomes } from './use-unknown-outcomes.ts';
import {
  foldRequests,
  mergeRequests,
  neighbour,
  selectedOf,
  type RequestPage,
} from './approvals.logic.ts';
import styles from './approvals.module.css';

/** What waits for a person, and what was decided. */
export const ApprovalsView = () => {
  const { get, set } = useQueryState();
  const shown = tabs.find(({ value }) => value === get('state'))?.value ?? 'pending';
  const unknown = useUnknownOutcomes();
  const open = unknown.resource.kind === 'ready' ? unknown.resource.value.items.length : 0;
  return (
    <div className="page">
      <div className="head">
        <h1>Approvals</h1>
        <SegmentedControl
          size="xs"
          aria-label="which requests"
          data={tabs.map(({ value, label }) => ({
            value,
            label: value === 'unknown' && open > 0 ? `${label} (${open})` : label,
          }))}
          value={shown}
          onChange={(value) => {
            set({ state: value === 'pending' ? null : value, id: null });
          }}
        />
        {shown === 'pending' ? (
          <span className={`dim push ${styles['keys']}`}>
            j / k choose, a approves, d denies, Enter confirms, Esc takes back
          </span>
        ) : null}
      </div>
      {open > 0 && shown === 'pending' ? (
        <p className={styles['soon']}>
          {plural(open, 'call')} ended nobody knows how.{' '}
          <Link href="/approvals?state=unknown">
            Say what became of {open === 1 ? 'it' : 'them'}
          </Link>
        </p>
      ) : null}
      {shown === 'pending' ? <Inbox /> : null}
      {shown === 'decided' ? <History /> : null}
      {shown === 'grants' ? <Grants alias={null} /> : null}
      {shown === 'unknown' ? <UnknownOutcomes {...unknown} /> : null}
    </div>
  );
};

const tabs = [
  { value: 'pending', label: 'Waiting' },
  { value: 'decided', label: 'History' },
  { value: 'grants', label: 'Standing' },
  { value: 'unknown', label: 'Unknown outcomes' },
] as const;

const Inbox = () => {
  const { resource, reload, change } = useSnapshot<RequestPage>(
    '/v1/approvals?limit=500',
    foldRequests,
    mergeRequests,
  );
  if (resource.kind === 'loading') return <Loading what="what waits" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  const { items } = resource.value;
  const decided = items.filter(({ state }) => state !== 'pending').length;
  if (items.length === 0) return <NothingWaits />;
  return (
    <>
      <Split page={resource.value} />
      {decided === 0 ? null : (
        <p>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              change((now) => ({
                ...now,
                items: now.items.filter(({ state }) => state === 'pending'),
              }));
            }}
          >
            Put {decided} decided away
          </Button>
        </p>
      )}
    </>
  );
};

const History = () => {
  const path = '/v1/approvals?state=decided&limit=100';
  const { resource, reload, change } = useResource<RequestPage>(path, ({ type }) =>
    /^(Approval|Question|SopGate)/.test(type),
  );
  const [problem, setProblem] = useState<string | null>(null);
  if (resource.kind === 'loading') return <Loading what="the history" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  const { items, next } = resource.value;
  if (items.length === 0) return <Empty title="Nothing was decided yet" />;
  const older = async (cursor: string): Promise<void> => {
    try {
      const more = await getJson<RequestPage>(`${path}&cursor=${encodeURIComponent(cursor)}`);
      change((now) => ({ items: [...now.items, ...more.items], next: more.next }));
      setProblem(null);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      <Split page={resource.value} />
      {next === null ? null : (
        <p className="row">
          <Button size="compact-xs" variant="default" onClick={() => void older(next)}>
            Older requests
          </Button>
          {problem === null ? null : <span role="alert">{problem}</span>}
        </p>
      )}
    </>
  );
};

/** The list and the one request that is looked at. It is pinned by its id: nothing that arrives takes its place. */
const Split = ({ page }: { readonly page: RequestPage }) => {
  const { get, set } = useQueryState();
  const wanted = get('id');
  const [pinned, setPinned] = useState<string | null>(null);
  const selected = selectedOf(page.items, wanted ?? pinned);
  // The first request that is looked at stays so, also when it is decided or others come.
  if (wanted === null && pinned === null && selected !== null) setPinned(selected.id);
  const go = (step: 1 | -1): void => {
    const id = neighbour(page.items, selected?.id ?? null, step);
    if (id !== null) set({ id });
  };
  useHotkeys([
    [
      'j',
      () => {
        go(1);
      },
    ],
    [
      'k',
      () => {
        go(-1);
      },
    ],
  ]);
  return (
    <div className={styles['split']}>
      <RequestList
        rows={page.items}
        selected={selected?.id ?? null}
        state={get('state')}
        onSelect={(id) => {
          set({ id });
        }}
      />
      {selected === null ? (
        <section className="panel" aria-label="request">
          <Empty title="This request is not in this list">
            <p>It may be decided: look into the history, or choose another one.</p>
          </Empty>
        </section>
      ) : (
        <RequestDetail key={selected.id} row={selected} />
      )}
    </div>
  );
};

const NothingWaits = () => (
  <Empty title="Nothing waits for a person">
    <p>
      A turn parks here when its policy asks about a call, or when the agent asks a question. It
      survives a restart. To see one, in another terminal from the same folder:
    </p>
    <Command line='npx lockstep run researcher "edit the summary"' />
  </Empty>
);
