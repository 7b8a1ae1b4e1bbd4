'use client';

import { useState } from 'react';
import { Button } from '@mantine/core';
import { useHolds } from '../../lib/session.tsx';
import { Foreign } from '../../ui/Foreign.tsx';
import { When } from '../../ui/When.tsx';
import { clearStop, useStops } from './stops.tsx';
import { stopWhat, type Flag } from './stop.logic.ts';
import styles from './stop.module.css';

/** Says on every page, loudly, what is stopped, and lets an operator take it back. */
export const StopBanner = () => {
  const { stops } = useStops();
  return stops.length === 0 ? null : (
    <div className={styles['banner']} role="alert" data-stopped>
      {stops.map((flag) => (
        <Stopped key={flag.agent ?? ''} flag={flag} />
      ))}
    </div>
  );
};

const Stopped = ({ flag }: { readonly flag: Flag }) => {
  const may = useHolds('operator');
  const [sure, setSure] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const resume = async (): Promise<void> => {
    if (!sure) {
      setSure(true);
      return;
    }
    setSure(false);
    setProblem(await clearStop(flag.agent));
  };
  return (
    <div className={styles['line']}>
      <span>
        <strong>■ {stopWhat(flag)}.</strong> No call begins, what ran is cancelled. By{' '}
        <Foreign>{flag.by}</Foreign>, <When at={flag.since} />: <Foreign>{flag.why}</Foreign>
      </span>
      {problem === null ? null : <span>{problem}</span>}
      {may ? (
        <Button
          className="push"
          size="compact-sm"
          variant="default"
          onClick={() => void resume()}
          onBlur={() => {
            setSure(false);
          }}
        >
          {sure ? 'Resume: sure?' : `Resume ${flag.agent ?? 'all'}`}
        </Button>
      ) : null}
    </div>
  );
};
