'use client';

import { useState } from 'react';
import { Button, Textarea } from '@mantine/core';
import { useHolds } from '../../lib/session.tsx';
import { Dialog } from '../../ui/Sheet.tsx';
import { setStop, useStops } from './stops.tsx';

/** The emergency stop, of every agent (null) or of one: a reason, then it holds until a person takes it back. */
export const StopButton = ({
  agent,
  className,
}: {
  readonly agent: string | null;
  readonly className?: string;
}) => {
  const may = useHolds('operator');
  const { stops } = useStops();
  const [opened, setOpened] = useState(false);
  const held = stops.some((flag) => flag.agent === agent);
  if (!may || held) return null;
  const close = (): void => {
    setOpened(false);
  };
  const title = agent === null ? 'Stop every agent' : `Stop ${agent}`;
  return (
    <>
      <Button
        size="compact-sm"
        variant="outline"
        color="red.9"
        className={className}
        styles={{ root: { color: 'var(--ls-gap)', borderColor: 'var(--ls-gap)' } }}
        aria-label={agent === null ? 'emergency stop' : `stop ${agent}`}
        onClick={() => {
          setOpened(true);
        }}
      >
        ■ Stop{agent === null ? '' : ' …'}
      </Button>
      <Dialog opened={opened} onClose={close} title={title}>
        <Sure agent={agent} onDone={close} />
      </Dialog>
    </>
  );
};

const Sure = ({
  agent,
  onDone,
}: {
  readonly agent: string | null;
  readonly onDone: () => void;
}) => {
  const [why, setWhy] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const stop = async (): Promise<void> => {
    setBusy(true);
    const wrong = await setStop(agent, why);
    setBusy(false);
    setProblem(wrong);
    if (wrong === null) onDone();
  };
  return (
    <>
      <p>
        No model call and no tool call begins any more
        {agent === null ? ', anywhere' : `, of ${agent} and of what it started`}; what runs is
        cancelled. It outlives a restart and holds until a person resumes.
      </p>
      <Textarea
        label="Why (stands in the trail)"
        data-autofocus
        autosize
        minRows={2}
        maxLength={500}
        value={why}
        onChange={(event) => {
          setWhy(event.currentTarget.value);
        }}
      />
      {problem === null ? null : <p role="alert">{problem}</p>}
      <div className="row" style={{ marginTop: '0.75rem' }}>
        <Button color="red.9" disabled={busy} onClick={() => void stop()}>
          {agent === null ? 'Stop everything now' : `Stop ${agent} now`}
        </Button>
        <Button variant="default" onClick={onDone}>
          Back
        </Button>
      </div>
    </>
  );
};
