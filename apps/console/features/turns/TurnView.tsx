'use client';

import Link from 'next/link';
import { Button, Tabs } from '@mantine/core';
import type { FoldedTurn, TurnAnswer } from '@lockstep/engine';
import { useHolds } from '../../lib/session.tsx';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useSnapshot } from '../../lib/use-snapshot.ts';
import { CancelButton } from '../../ui/CancelButton.tsx';
import { Foreign } from '../../ui/Foreign.tsx';
import { Id } from '../../ui/Id.tsx';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { Tone } from '../../ui/Tone.tsx';
import { When } from '../../ui/When.tsx';
import { FamilyTimeline } from './Children.tsx';
import { EventDrawer } from './EventDrawer.tsx';
import { Facts } from './Facts.tsx';
import { TurnPolicy } from './TurnPolicy.tsx';
import { eventPlace } from './family.logic.ts';
import { foldOneTurn, hasEnded, statusTone, type ShownRow } from './turns.logic.ts';
import { useWaits } from './use-waits.ts';
import { waitText, type WaitBelow } from './waits.logic.ts';
import styles from './turns.module.css';

/** A turn as the daemon answers it; its row may lack what the reader's role does not show. */
type ShownTurn = FoldedTurn & {
  readonly answer: TurnAnswer;
  /** The run of probes that it belongs to. */
  readonly probe?: string;
};

/** One turn: what it was asked, under which policy it ran, and every step of it, live. */
export const TurnView = ({ id }: { readonly id: string }) => {
  const { get, set } = useQueryState();
  const { resource, reload } = useSnapshot<ShownTurn>(
    `/v1/turns/${encodeURIComponent(id)}`,
    foldOneTurn,
  );
  if (resource.kind === 'loading') return <Loading what="the turn" />;
  if (resource.kind === 'failed')
    return (
      <div className="page">
        {resource.code === 'not_found' ? (
          <Empty as="h1" title="There is no such turn here">
            <p className="mono">{id}</p>
            <Link href="/turns">All turns</Link>
          </Empty>
        ) : (
          <Failed message={resource.message} retry={reload} />
        )}
      </div>
    );
  const turn = resource.value;
  return (
    <div className="page">
      <Head turn={turn} />
      <Tabs
        value={get('tab') ?? 'timeline'}
        onChange={(tab) => {
          set({ tab: tab === 'timeline' ? null : tab });
        }}
        keepMounted={false}
      >
        <Tabs.List mb="sm">
          <Tabs.Tab value="timeline">Timeline</Tabs.Tab>
          <Tabs.Tab value="policy">Policy</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="timeline">
          <FamilyTimeline
            turn={turn}
            onOpen={(event, of) => {
              set(eventPlace(event, of, id), 'push');
            }}
          />
        </Tabs.Panel>
        <Tabs.Panel value="policy">
          <TurnPolicy policy={turn.policy} />
        </Tabs.Panel>
      </Tabs>
      <EventDrawer
        turn={get('of') ?? id}
        event={get('event')}
        onClose={() => {
          set({ event: null, of: null });
        }}
      />
    </div>
  );
};

const Head = ({ turn }: { readonly turn: ShownTurn }) => {
  const row: ShownRow = turn.row;
  const own = turn.pendingApprovals[0] ?? null;
  const below = useWaits(turn);
  const [first] = below;
  const mayReplay = useHolds('auditor');
  return (
    <>
      <div className="head">
        <h1>
          Turn of <Link href={`/agents/${row.agent}`}>{row.agent}</Link>
        </h1>
        <span data-status={row.status}>
          {first === undefined || row.status !== 'running' ? (
            <Tone tone={statusTone[row.status]}>{row.status}</Tone>
          ) : (
            <Tone tone="waiting">waiting below</Tone>
          )}
        </span>
        <Id id={row.id} what="turn" />
        {turn.probe === undefined ? null : (
          <span className="dim">
            played by a probe, in a daemon of its own: nothing of it happened
          </span>
        )}
        <span className="push row">
          {own === null ? null : (
            <Button component={Link} size="compact-sm" href={`/approvals?id=${own}`}>
              Waits for a person: decide
            </Button>
          )}
          {mayReplay && turn.probe === undefined ? (
            <Button
              component={Link}
              size="compact-sm"
              variant="default"
              href={`/turns/${row.id}/replay`}
            >
              Replay
            </Button>
          ) : null}
          {hasEnded(row.status) || turn.probe !== undefined ? null : (
            <CancelButton path={`/v1/turns/${encodeURIComponent(row.id)}/cancel`}>
              Cancel the turn
            </CancelButton>
          )}
        </span>
      </div>
      <WaitsBelow waits={below} />
      <Facts turn={turn} />
      <dl className={`panel ${styles['said']}`}>
        <dt>input</dt>
        <dd>{row.input === null ? <NotShown /> : <Foreign>{row.input}</Foreign>}</dd>
        {row.reply === null ? null : (
          <>
            <dt>reply</dt>
            <dd>
              <Foreign>{row.reply}</Foreign>
            </dd>
          </>
        )}
      </dl>
    </>
  );
};

/** What it waits for though it did not ask: the way to each request, and to who asks. */
const WaitsBelow = ({ waits }: { readonly waits: readonly WaitBelow[] }) =>
  waits.length === 0 ? null : (
    <ul className={styles['waits']} aria-label="waits for">
      {waits.map((wait) => (
        <li key={wait.request} data-waits={wait.kind}>
          <Tone tone="waiting" /> <span>Waits: {waitText(wait)}</span>{' '}
          <span className="dim">
            <When at={wait.since} />
          </span>{' '}
          <Link href={`/approvals?id=${wait.request}`}>decide</Link>{' '}
          {wait.kind === 'gate' ? (
            <Link href={`/work?tab=procedures&run=${wait.by}`}>the run</Link>
          ) : (
            <Link href={`/turns/${wait.by}`}>its turn</Link>
          )}
        </li>
      ))}
    </ul>
  );

const NotShown = () => <span className="dim">not shown to your role</span>;
