'use client';

import Link from 'next/link';
import { useState } from 'react';
import { Button } from '@mantine/core';
import type { DataOf } from '@lockstep/engine';
import { messageOf, sendJson } from '../../lib/api.ts';
import { duration, shortId } from '../../lib/format.ts';
import { withQuery } from '../../lib/query.ts';
import { useHolds } from '../../lib/session.tsx';
import { useNow } from '../../lib/use-now.ts';
import { useResource } from '../../lib/use-snapshot.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { Id } from '../../ui/Id.tsx';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { deciderText } from '../approvals/approvals.logic.ts';
import { fieldText } from '../approvals/edit.logic.ts';

type Grant = DataOf<'GrantIssued'>;

/** Approvals that stand: what an agent, or every agent, may do without being asked again. */
export const Grants = ({ alias }: { readonly alias: string | null }) => {
  const { resource, reload } = useResource<{ readonly items: readonly Grant[] }>(
    withQuery('/v1/grants', { agent: alias }),
    ({ type }) => type.startsWith('Grant'),
  );
  const now = useNow();
  if (resource.kind === 'loading') return <Loading what="the grants" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  const live = resource.value.items.filter(({ expires }) => expires === 'never' || expires > now);
  if (live.length === 0)
    return (
      <Empty title="No grant stands">
        <p>
          A grant comes from choosing <strong>Always</strong> for a request in Approvals. It is
          bound to the tool, to who asked, and if chosen to the very arguments, and it expires.
        </p>
      </Empty>
    );
  return (
    <div className="panel scroll" tabIndex={0} role="region" aria-label="grants that stand">
      <table className="list">
        <thead>
          <tr>
            {alias === null ? <th scope="col">agent</th> : null}
            <th scope="col">tool</th>
            <th scope="col">for</th>
            <th scope="col">scope</th>
            <th scope="col">arguments</th>
            <th scope="col">given by</th>
            <th scope="col">expires in</th>
            <th scope="col">grant</th>
            <th scope="col">
              <span className="quiet">revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {live.map((grant) => (
            <tr key={grant.grant}>
              {alias === null ? (
                <td>
                  <Link href={`/agents/${grant.agent}?tab=grants`}>{grant.agent}</Link>
                </td>
              ) : null}
              <td className="mono">{grant.tool}</td>
              <td>{grant.person ?? <strong>anyone</strong>}</td>
              <td>
                {grant.scope.kind === 'session' ? (
                  <>
                    session <Id id={grant.scope.session} what="session" />
                  </>
                ) : (
                  'the whole agent'
                )}
              </td>
              <td>
                <Foreign>{argumentsText(grant.arguments)}</Foreign>
              </td>
              <td>{deciderText(grant.by)}</td>
              <td className="mono">
                {grant.expires === 'never' ? 'never' : duration(grant.expires - now)}
              </td>
              <td>
                <Id id={grant.grant} what="grant" />
              </td>
              <td>
                <Revoke grant={grant.grant} onDone={reload} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const argumentsText = (held: Grant['arguments']): string =>
  held.kind === 'fields'
    ? held.fields.map(fieldText).join('; ')
    : held.kind === 'exact'
      ? `exactly ${shortId(held.digest)}`
      : 'any';

const Revoke = ({ grant, onDone }: { readonly grant: string; readonly onDone: () => void }) => {
  const may = useHolds('approver', 'operator');
  const [problem, setProblem] = useState<string | null>(null);
  if (!may) return null;
  const revoke = async (): Promise<void> => {
    try {
      await sendJson('DELETE', `/v1/grants/${encodeURIComponent(grant)}`);
      onDone();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => void revoke()}>
        Revoke
      </Button>
      {problem === null ? null : <span role="alert"> {problem}</span>}
    </>
  );
};
