'use client';

import { useState } from 'react';
import { Button } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useHolds, useSession } from '../../lib/session.tsx';
import { Confirm } from './Confirm.tsx';
import { arm, isArmedFor, offers, whyNotMe, type Armed, type Request } from './approvals.logic.ts';
import type { Decision } from './use-decision.ts';
import styles from './approvals.module.css';

/** Two steps to a decision: choose, then confirm what was on the screen when it was chosen. */
export const Decide = ({
  row,
  decision: { busy, send },
}: {
  readonly row: Request;
  readonly decision: Decision;
}) => {
  const whyNot = useWhyNot(row);
  const [armed, setArmed] = useState<Armed | null>(null);
  const choose = (choice: Armed['choice']): void => {
    if (whyNot === null && !busy) setArmed(arm(row, choice));
  };
  const back = (): void => {
    setArmed(null);
  };
  useHotkeys([
    [
      'a',
      () => {
        choose('once');
      },
    ],
    [
      'd',
      () => {
        choose('deny');
      },
    ],
    ['Escape', back],
  ]);
  if (whyNot !== null) return <p className="dim">{whyNot}</p>;
  const standing = isArmedFor(armed, row) ? armed : null;
  return (
    <div className={styles['actions']}>
      {standing === null ? (
        <Choices row={row} onChoose={choose} busy={busy} />
      ) : (
        <Confirm
          row={row}
          armed={standing}
          busy={busy}
          onBack={back}
          onConfirm={async (body) => {
            const path = `/v1/approvals/${encodeURIComponent(standing.id)}/decision`;
            // What a person wrote stays on the screen when the daemon finds fault with it.
            const taken = await send(path, body);
            if (taken || standing.choice !== 'edit') back();
          }}
        />
      )}
    </div>
  );
};

/** It only says what the daemon would answer. Whom a request asks by name need not hold the role. */
const useWhyNot = (row: Request): string | null => {
  const { state } = useSession();
  const [kind, name] = (row.route ?? 'inbox').split(':', 2);
  const role = kind === 'role' && isRole(name) ? name : 'approver';
  const holds = useHolds(role);
  if (state.kind !== 'signed-in') return 'Sign in to decide.';
  const named = kind === 'people' && name === state.session.person;
  return (
    whyNotMe(row, state.session) ??
    (holds || named ? null : `Your role may not decide. It takes the role ${role}.`)
  );
};

const isRole = (name: string | undefined): name is 'auditor' | 'operator' | 'approver' =>
  name === 'auditor' || name === 'operator' || name === 'approver';

const Choices = ({
  row,
  onChoose,
  busy,
}: {
  readonly row: Request;
  readonly onChoose: (choice: Armed['choice']) => void;
  readonly busy: boolean;
}) => {
  const choice = (
    which: Armed['choice'],
    text: string,
    look: { readonly filled?: true; readonly push?: true } = {},
  ) =>
    offers(row, which) ? (
      <Button
        size="compact-md"
        variant={look.filled === true ? 'filled' : 'default'}
        className={look.push === true ? 'push' : undefined}
        disabled={busy}
        onClick={() => {
          onChoose(which);
        }}
      >
        {text}
      </Button>
    ) : null;
  return (
    <div className="row">
      {choice('once', 'Approve once (a)', { filled: true })}
      {choice('always', 'Always …')}
      {choice('edit', 'Edit and approve …')}
      {row.kind === 'approval' && !row.grantable && !row.cut ? (
        <span className="dim">This call is asked for each time: there is no Always.</span>
      ) : null}
      {choice('deny', 'Deny (d)', { push: true })}
    </div>
  );
};
