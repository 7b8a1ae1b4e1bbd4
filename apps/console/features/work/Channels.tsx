'use client';

import Link from 'next/link';
import { useEffect } from 'react';
import type { LockstepEvent } from '@lockstep/engine';
import { useResource } from '../../lib/use-snapshot.ts';
import { Foreign } from '../../ui/Foreign.tsx';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { Tone } from '../../ui/Tone.tsx';
import { When } from '../../ui/When.tsx';
import { channelTone, type ChannelRow } from './work.logic.ts';

const everyMs = 5000;
const concerns = ({ stream, type }: LockstepEvent): boolean =>
  stream === 'config' || type === 'InboundRefused';

/** The channels: how each stands, and whom it leads to. A connection's state is no event, so it is asked for again and again. */
export const Channels = () => {
  const { resource, reload } = useResource<{ readonly items: readonly ChannelRow[] }>(
    '/v1/channels',
    concerns,
  );
  useEffect(() => {
    const timer = setInterval(reload, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, [reload]);
  if (resource.kind === 'loading') return <Loading what="the channels" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  const { items } = resource.value;
  if (items.length === 0)
    return (
      <Empty title="Config has no channel">
        <p>
          A channel is a table like <span className="mono">[channels.webhook.crm]</span> in the
          config file; an agent names it in its own <span className="mono">channels</span>.
        </p>
      </Empty>
    );
  return (
    <div className="panel scroll" tabIndex={0} role="region" aria-label="list of channels">
      <table className="list">
        <thead>
          <tr>
            <th scope="col">channel</th>
            <th scope="col">kind</th>
            <th scope="col">leads to</th>
            <th scope="col">state</th>
            <th scope="col">since</th>
            <th scope="col">last error</th>
          </tr>
        </thead>
        <tbody>
          {items.map((channel) => (
            <tr key={channel.binding} data-channel={channel.binding}>
              <td className="mono">{channel.binding}</td>
              <td>{channel.kind}</td>
              <td>
                {channel.owner === null ? (
                  <span className="dim">nobody</span>
                ) : (
                  <Link href={`/agents/${channel.owner}`}>{channel.owner}</Link>
                )}
              </td>
              <td>
                <Tone tone={channelTone[channel.state]}>{channel.state}</Tone>
              </td>
              <td>
                <When at={channel.since} />
              </td>
              <td>
                {channel.error === null ? (
                  <span className="dim">none</span>
                ) : (
                  <Foreign>{channel.error}</Foreign>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
