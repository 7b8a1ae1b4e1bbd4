'use client';

import { useState } from 'react';
import { Button } from '@mantine/core';
import { messageOf, sendJson } from '../lib/api.ts';
import { useHolds } from '../lib/session.tsx';

/** Cancels something that runs, on the second press; nothing for who may not. */
export const CancelButton = ({
  path,
  method = 'POST',
  children,
}: {
  /** Where the cancel is sent. */
  readonly path: string;
  readonly method?: 'POST' | 'DELETE';
  readonly children: string;
}) => {
  const may = useHolds('operator');
  const [sure, setSure] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  if (!may) return null;
  const cancel = async (): Promise<void> => {
    if (!sure) {
      setSure(true);
      return;
    }
    setSure(false);
    try {
      await sendJson(method, path, method === 'POST' ? {} : undefined);
      setProblem(null);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      {problem === null ? null : <span role="alert">{problem}</span>}
      <Button
        size="compact-sm"
        variant={sure ? 'filled' : 'default'}
        color={sure ? 'red.9' : undefined}
        onClick={() => void cancel()}
        onBlur={() => {
          setSure(false);
        }}
      >
        {sure ? 'Cancel it: sure?' : children}
      </Button>
    </>
  );
};
