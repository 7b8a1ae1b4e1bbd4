'use client';

import { useMemo } from 'react';
import type { FoldedTurn } from '@lockstep/engine';
import { useSnapshot } from '../../lib/use-snapshot.ts';
import { useInbox } from '../approvals/waiting.tsx';
import { foldRuns, type RunPage } from '../work/work.logic.ts';
import { foldTurns, hasEnded, type TurnPage } from './turns.logic.ts';
import { waitsBelow, type WaitBelow } from './waits.logic.ts';

/** What an open turn waits for below itself, live. Nothing is read for one that has ended. */
export const useWaits = (turn: FoldedTurn): readonly WaitBelow[] => {
  const works = !hasEnded(turn.row.status);
  const inbox = useInbox();
  const open = useSnapshot<TurnPage>(
    works ? '/v1/turns?status=running,waiting&limit=500' : null,
    foldTurns,
  ).resource;
  const runs = useSnapshot<RunPage>(works ? '/v1/sops/runs?limit=100' : null, foldRuns).resource;
  return useMemo(
    () =>
      works
        ? waitsBelow(turn.row.id, {
            inbox,
            open: open.kind === 'ready' ? open.value.items : [],
            runs: runs.kind === 'ready' ? runs.value.items : [],
            apart: new Set(
              turn.children.filter(({ background }) => background).map((child) => child.turn),
            ),
          })
        : [],
    [works, turn.row.id, turn.children, inbox, open, runs],
  );
};
