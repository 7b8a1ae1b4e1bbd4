'use client';

import { useState } from 'react';
import { Button, Textarea } from '@mantine/core';
import { useHolds } from '../../lib/session.tsx';
import { Foreign } from '../../ui/Foreign.tsx';
import type { Request } from './approvals.logic.ts';
import type { Decision } from './use-decision.ts';
import styles from './approvals.module.css';

/** An answer to an agent's question: one of its choices, or words of one's own. */
export const Answer = ({
  row,
  decision: { busy, send },
}: {
  readonly row: Request;
  readonly decision: Decision;
}) => {
  const may = useHolds('approver', 'operator');
  const [text, setText] = useState('');
  if (!may)
    return <p className="dim">Your role may not answer. It takes an approver or an operator.</p>;
  const answer = (): void => {
    if (text.trim() !== '')
      void send(`/v1/questions/${encodeURIComponent(row.id)}/answer`, {
        text,
        revision: row.revision,
      });
  };
  return (
    <div className={styles['actions']}>
      {row.choices.length === 0 ? null : (
        <div className="row" role="group" aria-label="choices" style={{ marginBottom: '0.5rem' }}>
          {row.choices.map((choice) => (
            <Button
              key={choice}
              size="compact-md"
              variant="default"
              aria-pressed={text === choice}
              style={text === choice ? { borderColor: 'var(--ls-accent)' } : undefined}
              onClick={() => {
                setText(choice);
              }}
            >
              <Foreign>{choice}</Foreign>
            </Button>
          ))}
        </div>
      )}
      <Textarea
        label="Answer"
        autosize
        minRows={2}
        maxRows={10}
        maxLength={100_000}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          answer();
        }}
      />
      <div className="row" style={{ marginTop: '0.5rem' }}>
        <Button size="compact-md" disabled={busy || text.trim() === ''} onClick={answer}>
          Send the answer
        </Button>
        <span className="dim">Ctrl Enter sends</span>
      </div>
    </div>
  );
};
