'use client';

import { Select } from '@mantine/core';
import type { Draft } from './draft.logic.ts';
import type { VersionRow } from './versions.logic.ts';

/** Which config something is tried under. */
export const ConfigSelect = ({
  versions,
  draft,
  value,
  asRecorded,
  onChange,
}: {
  readonly versions: readonly VersionRow[];
  readonly draft: Draft | null;
  /** `draft`, a version, or null. */
  readonly value: string | null;
  /** The words for null, where that is a choice. */
  readonly asRecorded?: string;
  readonly onChange: (value: string | null) => void;
}) => {
  const [newest] = versions;
  return (
    <Select
      size="xs"
      w="15rem"
      aria-label="config"
      placeholder={asRecorded ?? 'choose a config'}
      clearable={asRecorded !== undefined}
      clearButtonProps={{ 'aria-label': asRecorded ?? '' }}
      allowDeselect={asRecorded !== undefined}
      data={[
        {
          value: 'draft',
          label:
            draft === null
              ? 'my draft (there is none)'
              : `my draft of version ${draft.base.version}`,
          disabled: draft === null,
        },
        ...versions.map(({ version }) => ({
          value: String(version),
          label: `version ${version}${version === newest?.version ? ', in force' : ''}`,
        })),
      ]}
      value={value}
      onChange={onChange}
    />
  );
};
