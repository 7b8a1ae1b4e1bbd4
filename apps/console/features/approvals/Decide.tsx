'use client';

import { useState, type KeyboardEvent } from 'react';
import { Button, Radio, Textarea } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useHolds } from '../../lib/session.tsx';
import {
  arm,
  decisionBody,
  isArmedFor,
  type Armed,
  type GrantScope,
  type Request,
} from './approvals.logic.ts';
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
  const may = useHolds('approver');
  const [armed, setArmed] = useState<Armed | null>(null);
  const choose = (choice: Armed['choice']): void => {
    if (may && !busy) setArmed(arm(row, choice));
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
  if (!may) return <p className="dim">Your role may not decide. It takes an approver.</p>;
  const standing = isArmedFor(armed, row) ? armed : null;
  return (
    <div className={styles['actions']}>
      {standing === null ? (
        <Choices row={row} onChoose={choose} busy={busy} />
      ) : (
        <Confirm
          row={row}
          armed={standing}
          onBack={back}
          onConfirm={(body) => {
            setArmed(null);
            void send(`/v1/approvals/${encodeURIComponent(standing.id)}/decision`, body);
          }}
        />
      )}
    </div>
  );
};

const Choices = ({
  row,
  onChoose,
  busy,
}: {
  readonly row: Request;
  readonly onChoose: (choice: Armed['choice']) => void;
  readonly busy: boolean;
}) => (
  <div className="row">
    <Button
      size="compact-md"
      disabled={busy}
      onClick={() => {
        onChoose('once');
      }}
    >
      Approve once (a)
    </Button>
    {row.choices.includes('always') ? (
      <Button
        size="compact-md"
        variant="default"
        disabled={busy}
        onClick={() => {
          onChoose('always');
        }}
      >
        Always …
      </Button>
    ) : (
      <span className="dim">This call is asked for each time: there is no Always.</span>
    )}
    <Button
      size="compact-md"
      variant="default"
      className="push"
      disabled={busy}
      onClick={() => {
        onChoose('deny');
      }}
    >
      Deny (d)
    </Button>
  </div>
);

const words: Readonly<Record<Armed['choice'], string>> = {
  once: 'Approve this one call',
  always: 'Approve this call, and such calls from now on',
  deny: 'Deny this call',
};

const Confirm = ({
  row,
  armed,
  onBack,
  onConfirm,
}: {
  readonly row: Request;
  readonly armed: Armed;
  readonly onBack: () => void;
  readonly onConfirm: (body: unknown) => void;
}) => {
  const [scope, setScope] = useState<GrantScope>({ kind: 'session', arguments: 'exact' });
  const [guidance, setGuidance] = useState('');
  const confirm = (): void => {
    onConfirm(decisionBody(armed, { scope, guidance }));
  };
  return (
    <div
      className={styles['confirm']}
      role="group"
      aria-label="confirm the decision"
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === 'Escape') onBack();
      }}
    >
      <p style={{ margin: '0 0 0.5rem' }}>
        <strong>{words[armed.choice]}</strong>: <span className="mono">{row.tool}</span> of{' '}
        {row.agent}
      </p>
      {armed.choice === 'always' ? (
        <ScopeChoice row={row} scope={scope} onChange={setScope} />
      ) : null}
      {armed.choice === 'deny' ? (
        <Textarea
          label="Guidance for the agent (optional; it becomes the call's result)"
          autoFocus
          autosize
          minRows={2}
          maxRows={8}
          maxLength={20_000}
          value={guidance}
          onChange={(event) => {
            setGuidance(event.currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            confirm();
          }}
          mb="sm"
        />
      ) : null}
      <div className="row">
        <Button
          size="compact-md"
          color={armed.choice === 'deny' ? 'red.9' : undefined}
          autoFocus={armed.choice !== 'deny'}
          onClick={confirm}
        >
          {armed.choice === 'deny' ? 'Deny (Enter)' : 'Approve (Enter)'}
        </Button>
        <Button size="compact-md" variant="default" onClick={onBack}>
          Back (Esc)
        </Button>
      </div>
    </div>
  );
};

const ScopeChoice = ({
  row,
  scope,
  onChange,
}: {
  readonly row: Request;
  readonly scope: GrantScope;
  readonly onChange: (scope: GrantScope) => void;
}) => (
  <div
    className="row"
    style={{ gap: '1rem 2rem', alignItems: 'flex-start', marginBottom: '0.625rem' }}
  >
    <Radio.Group
      label="For"
      value={scope.kind}
      onChange={(kind) => {
        onChange({ ...scope, kind: kind === 'agent' ? 'agent' : 'session' });
      }}
    >
      <Radio value="session" label="this session" mt={4} />
      <Radio value="agent" label={`all of ${row.agent}, for the same person`} mt={4} />
    </Radio.Group>
    <Radio.Group
      label="With"
      value={scope.arguments}
      onChange={(args) => {
        onChange({ ...scope, arguments: args === 'any' ? 'any' : 'exact' });
      }}
    >
      <Radio value="exact" label="exactly these arguments" mt={4} />
      <Radio value="any" label="any arguments" mt={4} />
    </Radio.Group>
  </div>
);
