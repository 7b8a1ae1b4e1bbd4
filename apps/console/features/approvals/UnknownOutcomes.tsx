'use client';

import Link from 'next/link';
import { useState } from 'react';
import { Button } from '@mantine/core';
import { messageOf, sendJson } from '../../lib/api.ts';
import { shortId } from '../../lib/format.ts';
import { useHolds } from '../../lib/session.tsx';
import type { Snapshot } from '../../lib/use-snapshot.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { Id } from '../../ui/Id.tsx';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { When } from '../../ui/When.tsx';
import type { UnknownOutcome } from './use-unknown-outcomes.ts';

/** Calls that may or may not have taken effect. Each is refused from now on until a person says what became of it. */
export const UnknownOutcomes = ({
  resource,
  reload,
}: Snapshot<{ readonly items: readonly UnknownOutcome[] }>) => {
  if (resource.kind === 'loading') return <Loading what="the unknown outcomes" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  const { items } = resource.value;
  if (items.length === 0)
    return (
      <Empty title="Every call that began has a known end">
        <p>
          A call whose tool may not run twice, and that was under way when the daemon died, stands
          here until a person has looked and says what became of it.
        </p>
      </Empty>
    );
  return (
    <>
      <p>
        Look at what the tool did outside, then say so. Until then the same call with the same
        arguments is refused.
      </p>
      <div className="panel scroll" tabIndex={0} role="region" aria-label="unknown outcomes">
        <table className="list">
          <thead>
            <tr>
              <th scope="col">tool</th>
              <th scope="col">agent</th>
              <th scope="col">arguments</th>
              <th scope="col">what happened</th>
              <th scope="col">since</th>
              <th scope="col">turn</th>
              <th scope="col">what became of it</th>
            </tr>
          </thead>
          <tbody>
            {items.map((one) => (
              <tr key={`${one.turn} ${one.call}`} data-unknown={one.call}>
                <td className="mono">{one.tool}</td>
                <td>
                  <Link href={`/agents/${one.agent}`}>{one.agent}</Link>
                </td>
                <td>
                  <Id id={one.argsDigest} what="arguments, their digest" />
                </td>
                <td>
                  <Foreign>{one.why}</Foreign>
                </td>
                <td>
                  <When at={one.since} />
                </td>
                <td>
                  <Link className="mono" href={`/turns/${one.turn}`}>
                    {shortId(one.turn)}
                  </Link>
                </td>
                <td>
                  <Settle outcome={one} onDone={reload} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
};

const ways = [
  { as: 'done', text: 'It took effect', means: 'it counts as done and is not done again' },
  { as: 'failed', text: 'It did not', means: 'it counts as failed' },
  { as: 'retry', text: 'Let it run again', means: 'the same call may run once more' },
] as const;

/** Two presses: the second one says what it means. */
const Settle = ({
  outcome,
  onDone,
}: {
  readonly outcome: UnknownOutcome;
  readonly onDone: () => void;
}) => {
  const may = useHolds('operator');
  const [chosen, setChosen] = useState<(typeof ways)[number] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  if (!may) return <span className="dim">an operator says so</span>;
  const settle = async (as: string): Promise<void> => {
    const turn = encodeURIComponent(outcome.turn);
    const call = encodeURIComponent(outcome.call);
    try {
      await sendJson('POST', `/v1/turns/${turn}/calls/${call}/settle`, { as });
      onDone();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <span className="row">
      {chosen === null ? (
        ways.map((way) => (
          <Button
            key={way.as}
            size="compact-xs"
            variant="default"
            title={way.means}
            onClick={() => {
              setChosen(way);
            }}
          >
            {way.text}
          </Button>
        ))
      ) : (
        <>
          <span>{chosen.means}:</span>
          <Button size="compact-xs" autoFocus onClick={() => void settle(chosen.as)}>
            {chosen.text}: sure
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              setChosen(null);
            }}
          >
            Back
          </Button>
        </>
      )}
      {problem === null ? null : <span role="alert">{problem}</span>}
    </span>
  );
};
