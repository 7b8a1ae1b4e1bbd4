'use client';

import { useResource } from '../../lib/use-snapshot.ts';
import { useHolds } from '../../lib/session.tsx';
import type { Draft } from './draft.logic.ts';
import { useDraft } from './use-draft.ts';
import {
  changesConfig,
  type ConfigNow,
  type VersionPage,
  type VersionRow,
} from './versions.logic.ts';

/** The configs that something can be tried under: the versions, newest first, and a person's draft. `ready` is false while they are read. */
export const useConfigs = (): {
  readonly ready: boolean;
  readonly versions: readonly VersionRow[];
  readonly draft: Draft | null;
} => {
  const may = useHolds('auditor', 'operator');
  const now = useResource<ConfigNow>(may ? '/v1/config' : null, changesConfig).resource;
  const versions = useResource<VersionPage>('/v1/config/versions', changesConfig).resource;
  const { draft } = useDraft(now.kind === 'ready' ? now.value.file : '');
  return {
    ready: versions.kind !== 'loading' && (!may || now.kind !== 'loading'),
    versions: versions.kind === 'ready' ? versions.value.items : [],
    draft,
  };
};
