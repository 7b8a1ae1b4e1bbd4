'use client';

import Link from 'next/link';
import { useState } from 'react';
import { Button } from '@mantine/core';
import { shortId } from '../../lib/format.ts';
import { useHolds } from '../../lib/session.tsx';
import { useQueryState } from '../../lib/use-query-state.ts';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { configBody, configChoice } from '../policy/backtest/backtest.logic.ts';
import { useConfigs } from '../policy/use-configs.ts';
import { Outcome } from './Outcome.tsx';
import { ReplayControls } from './ReplayControls.tsx';
import { Timelines } from './Timelines.tsx';
import { pairingOf, type ReplayAnswer, type ReplayChoice } from './replay.logic.ts';
import { useReplay } from './use-replay.ts';

/** A recorded turn beside what this build makes of it, or what another path or config would have made of it. */
export const ReplayView = ({ id }: { readonly id: string }) => {
  const { get } = useQueryState();
  const may = useHolds('auditor');
  const mayOther = useHolds('operator');
  const configs = useConfigs();
  const [round, setRound] = useState(0);
  const choice: ReplayChoice = {
    path: get('path'),
    trigger: get('trigger'),
    config: get('config'),
  };
  const allowed = may && (choice.config === null || mayOther);
  const asked = bodyOf(id, choice, configs.draft?.text ?? null);
  const read = useReplay(configs.ready && allowed ? asked : null, round);
  return (
    <div className="page">
      <div className="head">
        <h1>
          Replay of turn{' '}
          <Link className="mono" href={`/turns/${id}`}>
            {shortId(id)}
          </Link>
        </h1>
        <span className="dim">Nothing is run: recorded replies and results feed it.</span>
        <span className="push">
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              setRound(round + 1);
            }}
          >
            Replay again
          </Button>
        </span>
      </div>
      <ReplayControls choice={choice} configs={configs} mayOther={mayOther} />
      {!allowed ? (
        <Empty title="Your role does not replay this">
          <p>
            Auditors may replay a turn, on another path too. Another config is tried by auditors who
            are operators as well.
          </p>
        </Empty>
      ) : configs.ready && asked === null ? (
        <Empty title="There is no draft in this browser">
          <p>
            Write one under <Link href="/policy?tab=draft">Policy</Link>, or choose a version.
          </p>
        </Empty>
      ) : read.kind === 'loading' ? (
        <Loading what="the replay" />
      ) : read.kind === 'failed' ? (
        read.code === 'not_found' ? (
          <Empty title="There is no such turn here">
            <Link href="/turns">All turns</Link>
          </Empty>
        ) : (
          <Failed
            message={read.message}
            retry={() => {
              setRound(round + 1);
            }}
          />
        )
      ) : (
        <Found answer={read.value} />
      )}
    </div>
  );
};

const Found = ({ answer }: { readonly answer: ReplayAnswer }) => {
  const pairing = pairingOf(answer);
  return (
    <>
      <Outcome answer={answer} />
      {pairing === null ? null : (
        <Timelines pairing={pairing} plain={answer.outcome !== 'compared'} />
      )}
    </>
  );
};

/** What is asked of the daemon; null = a draft is meant and there is none. */
const bodyOf = (
  turn: string,
  { path, trigger, config }: ReplayChoice,
  draft: string | null,
): Readonly<Record<string, unknown>> | null => {
  const chosen = configChoice(config);
  const other = chosen === null ? undefined : configBody(chosen, draft);
  if (other === null) return null;
  return {
    turn,
    ...(path === null ? {} : { path }),
    ...(path === null || trigger === null ? {} : { trigger }),
    ...(other === undefined ? {} : { config: other }),
  };
};
