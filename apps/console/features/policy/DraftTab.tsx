'use client';

import { useResource } from '../../lib/use-snapshot.ts';
import { useHolds } from '../../lib/session.tsx';
import { Empty, Failed, Loading } from '../../ui/Notices.tsx';
import { DraftDesk } from './DraftDesk.tsx';
import { changesConfig, type ConfigNow } from './versions.logic.ts';

/** The file of the config as it stands, and a draft of the next one. */
export const DraftTab = () => {
  const may = useHolds('auditor', 'operator');
  const { resource, reload } = useResource<ConfigNow>(may ? '/v1/config' : null, changesConfig);
  if (!may)
    return (
      <Empty title="Your role does not show the config">
        <p>Auditors and operators may read it, operators may draft and apply a change.</p>
      </Empty>
    );
  if (resource.kind === 'loading') return <Loading what="the config" />;
  if (resource.kind === 'failed') return <Failed message={resource.message} retry={reload} />;
  return <DraftDesk key={resource.value.file} config={resource.value} />;
};
